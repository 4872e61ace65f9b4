package prices_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// exchange is a recorded call, with the expected contents of its response.
type exchange struct {
	Name    string `json:"name"`
	Request struct {
		URL  string `json:"url"`
		Body string `json:"body"`
	} `json:"request"`
	Response struct {
		Headers map[string]string `json:"headers"`
		Body    string            `json:"body"`
	} `json:"response"`
	Expect struct {
		expected
		Provider models.Provider `json:"provider"`
		Metered  bool            `json:"metered"`
		Complete bool            `json:"complete"`
		Records  []expected      `json:"records"`
	} `json:"expect"`
}

type expected struct {
	ID       string           `json:"id"`
	Model    string           `json:"model"`
	Usage    *prices.Usage    `json:"usage"`
	Mode     string           `json:"mode"`
	Requests map[string]int64 `json:"requests"`
}

// check compares a response. Usage is null if the response is incomplete, Requests is
// null if the number varies.
func (e *expected) check(t *testing.T, complete bool, got prices.Response, name string) {
	t.Helper()
	assert.Equal(t, complete, got.Complete, name)
	assert.Equal(t, e.ID, got.ID, name)
	assert.Equal(t, e.Mode, got.Usage.Mode, name)
	if e.Usage != nil {
		want, counts := *e.Usage, withoutMedia(got.Usage)
		counts.Mode, counts.ToolUses, counts.Iterations = "", nil, nil
		assert.Equal(t, want, counts, name)
	}
	if e.Requests != nil {
		assert.Len(t, got.Usage.ToolUses, len(e.Requests), name)
		for tool, n := range e.Requests {
			assert.Equal(t, n, got.Usage.ToolUses[tool], name)
		}
	}
}

// TestRecordedExchanges reads public recordings of real provider responses;
// testdata/README.md says where they come from.
func TestRecordedExchanges(t *testing.T) {
	t.Parallel()
	calls := 0
	for _, x := range readLines[exchange](t, "testdata/exchanges.jsonl.gz") {
		want := &x.Expect
		for i, line := range batchLines(t, &x) {
			got, err := prices.ParseResponse(want.Provider, line)
			require.NoError(t, err, x.Name)
			want.Records[i].check(t, true, got, x.Name)
			assert.Equal(t, want.Records[i].Model, got.Model, x.Name)
			calls++
		}
		if !want.Metered {
			continue
		}
		calls++
		got := read(t, &x)
		want.check(t, want.Complete, got, x.Name)
		if got.Model == "" { // only the request has it
			assert.Contains(t, x.Request.URL+x.Request.Body, want.Model, x.Name)
		} else {
			assert.Equal(t, want.Model, got.Model, x.Name)
		}
	}
	assert.Greater(t, calls, 130)
}

// read parses the body by its content type. If the body isn't JSON, parsing fails and the
// response is empty.
func read(t *testing.T, x *exchange) prices.Response {
	t.Helper()
	provider := x.Expect.Provider
	if !strings.HasPrefix(x.Response.Headers["content-type"], "text/event-stream") {
		got, err := prices.ParseResponse(provider, []byte(x.Response.Body))
		assert.False(t, err != nil && got.Complete, x.Name)
		return got
	}
	stream := prices.NewStream(provider)
	for _, data := range events(x.Response.Body) {
		if err := stream.Event([]byte(data)); err != nil {
			assert.False(t, json.Valid([]byte(data)), x.Name)
		}
	}
	got, err := stream.Response()
	require.NoError(t, err, x.Name)
	return got
}

func events(body string) []string {
	var all []string
	body = strings.ReplaceAll(strings.ReplaceAll(body, "\r\n", "\n"), "\r", "\n")
	for _, event := range strings.Split(body, "\n\n") {
		var data []string
		for _, line := range strings.Split(event, "\n") {
			if text, ok := strings.CutPrefix(line, "data:"); ok {
				data = append(data, strings.TrimPrefix(text, " "))
			}
		}
		if data != nil {
			all = append(all, strings.Join(data, "\n"))
		}
	}
	return all
}

// batchLines returns a batch's results, each of them a response.
func batchLines(t *testing.T, x *exchange) []json.RawMessage {
	t.Helper()
	if x.Expect.Records == nil {
		return nil
	}
	var lines []json.RawMessage
	switch x.Expect.Provider {
	case models.XAI:
		var body struct {
			Results []json.RawMessage `json:"results"`
		}
		require.NoError(t, json.Unmarshal([]byte(x.Response.Body), &body))
		lines = body.Results
	case models.Gemini:
		var body struct {
			Metadata struct {
				Output struct {
					InlinedResponses struct {
						InlinedResponses []json.RawMessage `json:"inlinedResponses"`
					} `json:"inlinedResponses"`
				} `json:"output"`
			} `json:"metadata"`
		}
		require.NoError(t, json.Unmarshal([]byte(x.Response.Body), &body))
		lines = body.Metadata.Output.InlinedResponses.InlinedResponses
	default:
		for _, line := range bytes.Split(bytes.TrimSpace([]byte(x.Response.Body)), []byte("\n")) {
			lines = append(lines, line)
		}
	}
	require.Len(t, lines, len(x.Expect.Records), x.Name)
	return lines
}

func readLines[T any](t testing.TB, path string) (rows []T) {
	t.Helper()
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	require.NoError(t, err)
	for d := json.NewDecoder(unpacked); d.More(); {
		var row T
		require.NoError(t, d.Decode(&row))
		rows = append(rows, row)
	}
	return rows
}
