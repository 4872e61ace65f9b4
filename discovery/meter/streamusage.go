package meter

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
)

// buffer returns a copy of the request whose body is in memory.
func buffer(req *http.Request) (*http.Request, []byte, error) {
	if req.Body == nil || req.Body == http.NoBody {
		return req, nil, nil
	}
	body, err := io.ReadAll(req.Body)
	_ = req.Body.Close()
	if err != nil {
		return nil, nil, err
	}
	return withBody(req, body), body, nil
}

func withBody(req *http.Request, body []byte) *http.Request {
	sent := *req
	sent.ContentLength = int64(len(body))
	sent.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	sent.Body, _ = sent.GetBody()
	return &sent
}

// includeUsage returns the body of a chat request with stream_options.include_usage, and true, if it is a stream without that
// option. All other bytes stay as they are.
func includeUsage(body []byte) ([]byte, bool) {
	var request struct {
		Stream  bool                       `json:"stream"`
		Options map[string]json.RawMessage `json:"stream_options"`
	}
	if json.Unmarshal(body, &request) != nil || !request.Stream {
		return body, false
	}
	if _, given := request.Options["include_usage"]; given {
		return body, false
	}
	const option = `"include_usage":true`
	start, end := valueOf(body, "stream_options")
	switch {
	case end == 0:
		at := bytes.IndexByte(body, '{') + 1
		return replace(body, at, at, `"stream_options":{`+option+`},`), true
	case len(request.Options) == 0: // {} or null
		return replace(body, start, end, "{"+option+"}"), true
	}
	return replace(body, start, start+1, "{"+option+","), true
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

func replace(body []byte, start, end int, text string) []byte {
	return bytes.Join([][]byte{body[:start], []byte(text), body[end:]}, nil)
}
