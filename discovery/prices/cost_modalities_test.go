package prices_test

import (
	"fmt"
	"math/big"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/facts"
	"github.com/mesh-gateway/mesh-go/discovery/internal/pricelist"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/test/whole"
)

// Every documented prompt modality costs what its own row says, or the text price if the
// provider documents that. Otherwise the bound leaves it out and the error names it.
func TestEveryModalityOfEveryModel(t *testing.T) {
	t.Parallel()
	const gemini = `{"promptTokenCount":1000,"totalTokenCount":1000,"promptTokensDetails":[{"modality":%q,"tokenCount":1000}]}`
	const openAI = `{"input_tokens":1000,"output_tokens":0,"total_tokens":1000,"input_tokens_details":{%q:1000}}`
	for _, member := range []struct {
		provider             models.Provider
		format, name, priced string
	}{
		{models.Gemini, gemini, "TEXT", prices.ModalityText},
		{models.Gemini, gemini, "AUDIO", "audio"},
		{models.Gemini, gemini, "IMAGE", "image"},
		{models.Gemini, gemini, "DOCUMENT", "image"},
		{models.Gemini, gemini, "VIDEO", "video"},
		{models.OpenAI, openAI, "text_tokens", prices.ModalityText},
		{models.OpenAI, openAI, "audio_tokens", "audio"},
		{models.OpenAI, openAI, "image_tokens", "image"},
		{models.XAI, openAI, "text_tokens", prices.ModalityText},
		{models.XAI, openAI, "audio_tokens", "audio"},
		{models.XAI, openAI, "image_tokens", "image"},
	} {
		seen := map[string]bool{}
		for i, row := range prices.BuiltIn().Rows(member.provider) {
			call := prices.Call{Provider: member.provider, Model: row.ModelHint, At: on(t, "2026-11-20")}
			if i%whole.Cases(1, 5) != 0 || seen[row.ModelHint] || !isPriced(call) {
				continue
			}
			seen[row.ModelHint] = true
			var err error
			call.Usage, err = prices.ParseUsage(member.provider, fmt.Appendf(nil, member.format, member.name))
			require.NoError(t, err)
			want := modalityPrice(prices.BuiltIn().Rows(member.provider), &call, member.priced)
			usd, err := prices.BuiltIn().USDOf(call)
			if want == nil {
				var unpriced *prices.UnpricedError
				require.ErrorAs(t, err, &unpriced, "%s of %s", member.name, row.ModelHint)
				assert.EqualValues(t, member.priced, unpriced.Missing, row.ModelHint)
				assert.Empty(t, unpriced.BoundUSD)
				continue
			}
			require.NoError(t, err, "%s of %s", member.name, row.ModelHint)
			assert.Zero(t, want.Cmp(rational(t, usd)), "%s of %s: %s", member.name, row.ModelHint, usd)
		}
		assert.NotEmpty(t, seen)
	}
}

func isPriced(call prices.Call) bool {
	call.Usage = prices.Usage{Input: 1}
	_, err := prices.BuiltIn().USDOf(call)
	return err == nil
}

// modalityPrice returns the cost for a thousand tokens, or nil if it's unknown.
func modalityPrice(rows []prices.Row, call *prices.Call, modality string) *big.Rat {
	row := plainRow(rows, call, modality)
	if (row == nil || row.InputPerMTok == "") && builtInTerms().Textual(string(call.Provider), modality, call.Model) {
		row = plainRow(rows, call, prices.ModalityText)
	}
	if row == nil || row.InputPerMTok == "" {
		return nil
	}
	usd, _ := new(big.Rat).SetString(string(row.InputPerMTok))
	return usd.Quo(usd, big.NewRat(1000, 1))
}

var builtInTerms = sync.OnceValue(func() *pricelist.Terms { _, terms := pricelist.Of(facts.BuiltIn()); return terms })
