package meter_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/meter"
)

// BenchmarkResponse reads a 2 kB response with and without a meter.
func BenchmarkResponse(b *testing.B) {
	body := strings.Replace(chatAnswer, "hello", strings.Repeat("word ", 360), 1)
	compare(b, "application/json", body)
}

// BenchmarkStream reads 1,000 events with and without a meter: with counts in no event,
// and in every event.
func BenchmarkStream(b *testing.B) {
	events := strings.SplitAfter(stream, "\n\n")
	delta := strings.Replace(events[0], `"content":"a"`, `"content":"`+strings.Repeat("a", 80)+`"`, 1)
	b.Run("without counts", func(b *testing.B) { compare(b, "text/event-stream", strings.Repeat(delta, 1000)+events[1]) })
	const gemini = `data: {"candidates":[{"content":{"parts":[{"text":"some words"}],"role":"model"},"index":0}],"usageMetadata":{"promptTokenCount":8,` +
		`"candidatesTokenCount":20,"totalTokenCount":447,"promptTokensDetails":[{"modality":"TEXT","tokenCount":8}],"thoughtsTokenCount":419},` +
		`"modelVersion":"gemini-3-flash-preview","responseId":"J3dHapyWENS3g8UPyrefuAE"}` + "\n\n"
	b.Run("with counts", func(b *testing.B) { compare(b, "text/event-stream", strings.Repeat(gemini, 1000)) })
}

func compare(b *testing.B, contentType, body string) {
	b.Helper()
	base := roundTripper(func(req *http.Request) (*http.Response, error) {
		return &http.Response{
			StatusCode: 200, Header: http.Header{"Content-Type": {contentType}}, Request: req,
			Body: io.NopCloser(bytes.NewReader([]byte(body))),
		}, nil
	})
	m, err := meter.New()
	require.NoError(b, err)
	for name, transport := range map[string]http.RoundTripper{"baseline": base, "meter": m.Transport(base)} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(body)))
			buffer := make([]byte, 32<<10)
			for b.Loop() {
				req, err := http.NewRequestWithContext(b.Context(), http.MethodPost, "https://api.openai.com/v1/chat/completions", http.NoBody)
				require.NoError(b, err)
				res, err := transport.RoundTrip(req)
				require.NoError(b, err)
				_, err = io.CopyBuffer(struct{ io.Writer }{io.Discard}, res.Body, buffer)
				require.NoError(b, err)
				res.Body.Close()
			}
		})
	}
}
