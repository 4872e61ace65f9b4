package calls_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/test/zerovalue"
)

// kindsOfCalls has lines of each kind: priced, unpriced, bounded, failed, subscription,
// own key, with a tool.
func kindsOfCalls(t *testing.T) (file string, records []calls.Record) {
	t.Helper()
	const openAI = `{"provider":"openai","model":"gpt-4o","time":"2026-11-20T12:00:00Z",`
	const used = `"usage":{"prompt_tokens":1000,"completion_tokens":10,"total_tokens":1010}`
	var lines []string
	for i, more := range []string{
		`"usd":"1.5",` + used, `"usd":null,"bound_usd":"3","complete":false,"unpriced":"closed",` + used, `"usd":null,"unpriced":"no price"`,
		`"usd":"2","billing":"subscription",` + used, `"usd":null,"unpriced":"closed","billing":"subscription",` + used, `"usd":"0","status":429`,
		`"unpriced":"no response","usd":null,"status":0`, `"usd":"0.25","platform":"openrouter","upstream_usd":"7","byok":true,` + used, used,
		`"usd":"0.03","requests":{"web_search":2},` + used,
	} {
		lines = append(lines, fmt.Sprintf(`%s"labels":{"team":"t%d"},%s}`, openAI, i%2, more))
	}
	file = filepath.Join(t.TempDir(), "calls.jsonl")
	require.NoError(t, os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o600))
	for r, err := range calls.Read(calls.Options{Recorded: true}, file) {
		require.NoError(t, err)
		records = append(records, r)
	}
	return file, records
}

// Live totals equal Sum, even if merged or built from records one by one.
func TestTotalsAreThoseOfSum(t *testing.T) {
	t.Parallel()
	file, records := kindsOfCalls(t)
	for _, by := range [][]string{nil, {"day", "model"}, {"label:team", "billing", "unpriced"}, {"week", "month", "provider", "platform"}} {
		want, err := calls.Sum(calls.Options{By: [][]string{by}}, file)
		require.NoError(t, err)
		all, err := calls.NewTotals(by...)
		require.NoError(t, err)
		part, err := calls.NewTotals(by...)
		require.NoError(t, err)
		var group sync.WaitGroup
		for i, r := range records {
			group.Go(func() {
				c, err := r.Count(nil, false)
				assert.NoError(t, err)
				assert.NoError(t, []*calls.Totals{all, part}[i%2].Add(c))
			})
		}
		group.Wait()
		before := part.Groups()
		all.Merge(part)
		assert.Equal(t, want[0], all.Groups(), by)
		require.NoError(t, all.Add(records[0]))
		assert.Equal(t, before, part.Groups(), "merging does not change the source")
	}
	sum, err := calls.Sum(calls.Options{}, file)
	require.NoError(t, err)
	g := sum[0][0]
	assert.Equal(t, []int{10, 3, 4, 1}, []int{g.Calls, g.Failed, g.Unpriced, g.Bounded})
	assert.Equal(t, []prices.USD{"3.7826", "3", "6.7826", "2", "7"}, []prices.USD{g.USD, g.BoundUSD, g.AtLeastUSD, g.SubscriptionUSD, g.UpstreamUSD})
	assert.Equal(t, []int64{5000, 2000}, []int64{g.Usage.Input, g.SubscriptionUsage.Input}, "subscription usage is separate")
}

func TestInvalidTotals(t *testing.T) {
	t.Parallel()
	var wrong *calls.ValueError
	_, err := calls.NewTotals("hour")
	require.ErrorAs(t, err, &wrong)
	for _, none := range []*calls.Totals{nil, {}} {
		zerovalue.Check(t, none)
		require.ErrorAs(t, none.Add(calls.Record{}), &wrong)
		assert.Empty(t, none.Groups())
	}
	byDay, err := calls.NewTotals("day")
	require.NoError(t, err)
	all, err := calls.NewTotals()
	require.NoError(t, err)
	assert.Panics(t, func() { all.Merge(byDay) })
	require.Error(t, all.Add(calls.Record{Model: "gpt-4o", Time: time.Now(), USD: "1e3"}))
	require.Error(t, all.Add(calls.Record{Model: "gpt-4o", Time: time.Now()}), "neither a cost nor usage")
	assert.Empty(t, all.Groups())
}
