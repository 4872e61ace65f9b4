package calls_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
)

// A reader that takes the first value and one that takes the last would count different amounts.
func TestLinesHaveEachKeyOnce(t *testing.T) {
	t.Parallel()
	const begin = `{"provider":"openai","model":"gpt-4o","time":"2026-11-02T00:00:00Z","usage":{"prompt_tokens":1},`
	for _, line := range []string{
		begin + `"usd":"5","usd":"0.01"}`,
		begin + `"usd":"5","us\u0064":"0.01"}`,
		begin + `"usd":null,"usd":"0.01"}`,
		begin + `"usd":"5","model":"gpt-4o"}`,
		begin + `"other":1,"other":1}`,
		begin + `"":1,"":1}`,
		begin + `"labels":{"user":"a","user":"b"}}`,
		begin + `"requests":{"web_search":1,"web_search":100}}`,
	} {
		_, err := sumOf(t, calls.Options{}, line)
		require.Error(t, err, line)
		assert.ErrorContains(t, err, "a key must not be there twice")
		var r calls.Record
		require.ErrorContains(t, r.UnmarshalJSON([]byte(line)), "a key must not be there twice", line)
	}
	rows, err := sumOf(t, calls.Options{}, begin+`"usd":"5","labels":{"usd":"a","model":"b"},"requests":{"usd":1,"model":1},"a":1,"b":2,"c":3,"d":4,"e":5,"f":6}`)
	require.NoError(t, err)
	assert.EqualValues(t, "5", rows[0].USD)
}
