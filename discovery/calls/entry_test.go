package calls

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/internal/usage"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

// FuzzEntry compares a line whose usage object is read together with it, as Sum does, with one whose usage object is kept and read
// afterwards.
func FuzzEntry(f *testing.F) {
	for _, line := range entryLines {
		f.Add([]byte(line))
	}
	f.Fuzz(compareEntry)
}

func TestUsageIsReadWithTheLine(t *testing.T) {
	t.Parallel()
	for _, line := range entryLines {
		compareEntry(t, []byte(line))
	}
}

const entryStart = `{"provider":"openai","model":"gpt-5.2","time":"2026-11-20T12:00:00Z",`

var entryLines = []string{
	entryStart + `"usage":{"input_tokens":8,"output_tokens":1,"total_tokens":9},"usd":"7"}`,
	entryStart + `"usage":{"input_tokens":8,"output_tokens":1,"total_tokens":9},"usage":{"input_tokens":-1,"x":[{}]},"usage":null}`,
	entryStart + `"usage":{"input_tokens":"8"},"usage":{"input_tokens":8,"output_tokens":1,"total_tokens":9},"requests":{"a":1}}`,
	entryStart + `"usage": { "input_tokens" : 0.5, "deep" : [ [ { } ] ] } , "labels":{"a":"b"}}` + "\r\n",
	entryStart + `"usage":{"input_tokens":-1,}}`, entryStart + `"usage":{"input_tokens":-1,"a":[}]}}`, entryStart + `"usage":{}}`, entryStart + `"usage":[1]}`,
	entryStart + `"usage":{"input\u005ftokens":8,"output_tokens":1,"total_tokens":9,"service_tier":"Priority"}}`,
	entryStart + `"usage":{"input_tokens":8,"output_tokens":1,"iterations":[{"type":"compaction","input_tokens":1,"output_tokens":2}]}}`,
	entryStart + `"usage":{"input_tokens":8,"output_tokens":1,"iterations":[{"type":1}]},"id":"x"}`,
	entryStart + `"usage":{"promptTokenCount":5,"promptTokensDetails":[{"modality":"AUDIO","tokenCount":3}],"serviceTier":2,"new_tokens":4}}`,
	entryStart + `"usage":{"":0.5,"p":[[{}]]}}`,
	entryStart + `"usage":{"server_tool_use":{"web_search_requests":2},"input_tokens":8,"output_tokens":1}}`,
}

func compareEntry(t *testing.T, line []byte) {
	t.Helper()
	var d jsonread.Decoder
	var reader usage.Reader
	together, apart := entry{counts: &reader}, entry{}
	err := together.decode(&d, line)
	require.Equal(t, apart.decode(&d, line), err)
	if err != nil {
		return
	}
	for _, p := range models.Providers() {
		var want prices.Usage
		wantErr := errNoUsage
		if apart.usage != nil {
			var u usage.Usage
			u, wantErr = usage.Parse(string(p), apart.usage)
			want = prices.Usage(u)
		}
		again := entry{counts: &reader}
		_ = again.decode(&d, line) // a reader returns the usage of an object once
		again.requests = nil
		got, err := again.used(p)
		requireSameError(t, wantErr, err)
		if err == nil {
			require.Equal(t, want, got)
		}
	}
	together.counts, together.usageErr = nil, nil
	assert.Equal(t, apart, together)
}

// requireSameError allows that Parse also names the members of an object without a known one, which a line does not keep.
func requireSameError(t *testing.T, want, got error) {
	t.Helper()
	var whole, part *usage.Error
	if errors.As(want, &whole) && errors.As(got, &part) && strings.HasPrefix(whole.Reason, part.Reason+"; the object has ") {
		require.Equal(t, whole.Field, part.Field)
		return
	}
	require.Equal(t, want, got)
}
