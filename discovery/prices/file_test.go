package prices_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

func TestSaveAndLoad(t *testing.T) {
	t.Parallel()
	const price = "0.30000000000000004"
	own := prices.Row{Provider: models.OpenAI, ModelHint: "gpt-4.1", InputPerMTok: price, OutputPerMTok: price, ValidFrom: "2026-01-01", Mode: "batch"}
	with, err := prices.BuiltIn().With(own)
	require.NoError(t, err)
	with, err = with.With(prices.Row{Provider: models.XAI, ModelHint: "grok-x", OutputPerMTok: price})
	require.NoError(t, err)
	for name, list := range map[string]*prices.List{"own rows": with, "built-in": prices.BuiltIn(), "empty": {}} {
		var file, second bytes.Buffer
		require.NoError(t, list.Save(&file), name)
		text := file.String()
		loaded, err := prices.Load(&file)
		require.NoError(t, err, name)
		assert.Equal(t, list.Rows(""), loaded.Rows(""), name)
		assert.Equal(t, list.AsOf(), loaded.AsOf(), name)
		assert.Equal(t, list.Fees(""), loaded.Fees(""), name)
		want, err1 := list.CostOf(gpt41)
		got, err2 := loaded.CostOf(gpt41)
		assert.Equal(t, want, got, name)
		assert.Equal(t, err1, err2, name)
		require.NoError(t, loaded.Save(&second))
		assert.Equal(t, text, second.String(), name)
	}
}

func TestLoadRejectsDamage(t *testing.T) {
	t.Parallel()
	var file bytes.Buffer
	require.NoError(t, prices.BuiltIn().Save(&file))
	text := file.String()
	for name, damaged := range map[string]string{
		"empty": "", "cut": text[:len(text)-2], "head alone": text[:90], "a changed price": strings.Replace(text, "gpt-4.1,0,2,", "gpt-4.1,0,3,", 1),
		"another version": strings.Replace(text, "prices 2 ", "prices 1 ", 1), "a catalog": strings.Replace(text, "mesh-go-prices", "mesh-go-catalog", 1),
	} {
		list, err := prices.Load(strings.NewReader(damaged))
		var value *discovery.ValueError
		assert.ErrorAs(t, err, &value, name)
		assert.Nil(t, list, name)
	}
	_, err := prices.Load(nil)
	assert.Error(t, err)
	assert.Error(t, prices.BuiltIn().Save(nil))
	assert.ErrorIs(t, prices.BuiltIn().Save(brokenWriter{}), errBroken)
}

var errBroken = errors.New("broken")

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

// FuzzLoad has files whose digest is right: nothing in them may panic.
func FuzzLoad(f *testing.F) {
	var file bytes.Buffer
	list, _ := new(prices.List).With(prices.Row{Provider: models.OpenAI, ModelHint: "m"})
	_ = list.Save(&file)
	_, content, _ := strings.Cut(file.String(), "\n")
	f.Add(content)
	f.Add(`{"table":[{"provider":"openai","model":"gpt-4.1","input":"2","output":"8","from":"2026-01-01","source":"s","verified_at":"2026-01-02"}]}`)
	f.Fuzz(func(_ *testing.T, content string) {
		text := fmt.Sprintf("mesh-go-prices 1 %x\n%s", sha256.Sum256([]byte(content)), content)
		if list, err := prices.Load(strings.NewReader(text)); err == nil {
			_, _ = list.CostOf(gpt41)
			list.Rows("")
		}
	})
}
