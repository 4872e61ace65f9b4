package meter

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"
)

// requestUsage returns a copy of a request that requests the usage of a stream, with its body in memory.
func requestUsage(req *http.Request) (*http.Request, error) {
	if req.Body == nil || req.Body == http.NoBody {
		return req, nil
	}
	body, err := io.ReadAll(req.Body)
	_ = req.Body.Close()
	if err != nil {
		return nil, err
	}
	body = includeUsage(body)
	sent := *req
	sent.ContentLength = int64(len(body))
	sent.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	sent.Body, _ = sent.GetBody()
	return &sent, nil
}

// includeUsage returns the body of a chat request, with stream_options.include_usage if it is a stream without that option. All other
// bytes stay as they are.
func includeUsage(body []byte) []byte {
	var request struct {
		Stream  bool                       `json:"stream"`
		Options map[string]json.RawMessage `json:"stream_options"`
	}
	if json.Unmarshal(body, &request) != nil || !request.Stream {
		return body
	}
	if _, given := request.Options["include_usage"]; given {
		return body
	}
	option := `"include_usage":true`
	start, end := valueOf(body, "stream_options")
	switch {
	case end == 0:
		start = bytes.IndexByte(body, '{') + 1
		end, option = start, `"stream_options":{`+option+`},`
	case len(request.Options) == 0: // {} or null
		option = "{" + option + "}"
	default:
		end, option = start+1, "{"+option+","
	}
	return slices.Concat(body[:start], []byte(option), body[end:])
}

// valueOf returns where the value of a key at the top of a valid JSON object starts and ends, or 0.
func valueOf(body []byte, key string) (start, end int) {
	decoder := json.NewDecoder(bytes.NewReader(body))
	_, _ = decoder.Token() // the first {
	for decoder.More() {
		name, _ := decoder.Token()
		var value json.RawMessage
		if decoder.Decode(&value) != nil {
			return 0, 0
		}
		if name == key {
			end = int(decoder.InputOffset())
			start = end - len(value)
		}
	}
	return start, end
}
