package calls_test

import (
	"errors"
	"io"
	"iter"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/calls"
	"github.com/mesh-gateway/mesh-go/discovery"
)

const line = `{"model":"claude-sonnet-5-5","time":"2026-11-20T12:00:00Z","usage":{"input_tokens":8000,"output_tokens":100}}` + "\n"

func price(t *testing.T, in io.Reader) iter.Seq2[calls.Call, error] {
	t.Helper()
	return calls.Price(discovery.BuiltInPrices(), "calls.jsonl", in)
}

// TestCallsComeOneByOne checks that a call does not wait for the lines behind it, which need not fit into memory.
func TestCallsComeOneByOne(t *testing.T) {
	t.Parallel()
	in, out := io.Pipe()
	next, stop := iter.Pull2(price(t, in))
	defer stop()
	for number := range 3 {
		go func() { _, _ = io.WriteString(out, "\n"+line) }()
		call, err, ok := next()
		require.True(t, ok)
		require.NoError(t, err)
		assert.Equal(t, 2*number+2, call.Line, "blank lines count")
		assert.Equal(t, discovery.Anthropic, call.Provider)
		assert.Equal(t, "0.017", call.Cost.Exact)
	}
	require.NoError(t, out.Close())
	_, _, ok := next()
	assert.False(t, ok)
}

func TestErrorsNameTheLine(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		text string
		want string
	}{
		"a line that is too long": {strings.Repeat("x", 1<<20+1), "a line must not have more than 1048576 bytes"},
		"a compressed file":       {"\x1f\x8b\x08", "gunzip -c FILE | mesh usage -"},
		"no object":               {"12", "a line must be a JSON object"},
		"an unfinished line":      {line[:20], "a line must be a JSON object"},
		"a day without a time":    {strings.Replace(line, "T12:00:00Z", "", 1), "time (RFC 3339)"},
		"no time":                 {`{"model":"claude-sonnet-5-5"}`, "time is missing"},
		"no provider":             {strings.Replace(line, "claude", "clod", 1), "cannot be determined"},
		"no usage":                {strings.Replace(line, "input_tokens", "tokens", 1), "input_tokens"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var last error
			priced := 0
			for _, err := range price(t, strings.NewReader(line+test.text)) {
				if last = err; err == nil {
					priced++
				}
			}
			var at *calls.LineError
			require.ErrorAs(t, last, &at)
			assert.Equal(t, 2, at.Line)
			assert.Contains(t, last.Error(), "calls.jsonl:2: ")
			assert.Contains(t, last.Error(), test.want)
			assert.Equal(t, 1, priced)
		})
	}
}

func TestReadErrorEndsCalls(t *testing.T) {
	t.Parallel()
	failed := errors.New("disk on fire")
	var last error
	for _, err := range price(t, io.MultiReader(strings.NewReader(line), iotest.ErrReader(failed))) {
		last = err
	}
	require.ErrorIs(t, last, failed)
}
