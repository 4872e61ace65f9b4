package prices_test

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// platformExchange is a recorded call of a platform.
type platformExchange struct {
	Name    string `json:"name"`
	Request struct {
		URL string `json:"url"`
	} `json:"request"`
	Response struct {
		Status  int               `json:"status"`
		Headers map[string]string `json:"headers"`
		Body    string            `json:"body"`
		Binary  []byte            `json:"body_base64"`
	} `json:"response"`
	Expect struct {
		expected
		Metered     bool     `json:"metered"`
		Complete    bool     `json:"complete"`
		Upstream    string   `json:"upstream"`
		BYOK        bool     `json:"byok"`
		UpstreamUSD string   `json:"upstream_usd"`
		Unchecked   []string `json:"unchecked"`
	} `json:"expect"`
}

// form returns the form of the bodies of a path, as a caller knows it who made the request.
func (x *platformExchange) form() models.Provider {
	url := x.Request.URL
	for _, row := range []struct {
		part string
		form models.Provider
	}{
		{"/converse", prices.FormConverse}, {"/invoke", prices.FormInvoke}, {"api.cohere.com", prices.FormCohere}, {"/api/chat", prices.FormOllama},
		{"/api/generate", prices.FormOllama}, {"/api/embed", prices.FormOllama}, {"/publishers/google/", models.Gemini},
		{"/messages", models.Anthropic}, {"awPredict", models.Anthropic},
	} {
		if strings.Contains(url, row.part) {
			return row.form
		}
	}
	return models.OpenAI
}

// read reads the body as what its content type is.
func (x *platformExchange) read(form models.Provider) (prices.Response, error) {
	switch {
	case x.Response.Binary != nil:
		return prices.ParseResponse(form, x.Response.Binary)
	case !strings.HasPrefix(x.Response.Headers["content-type"], "text/event-stream"):
		return prices.ParseResponse(form, []byte(x.Response.Body))
	}
	stream := prices.NewStream(form)
	for _, data := range events(x.Response.Body) {
		if err := stream.Event([]byte(data)); err != nil {
			return prices.Response{}, err
		}
	}
	return stream.Response()
}

func readPlatforms(t testing.TB) []platformExchange {
	t.Helper()
	return readLines[platformExchange](t, "testdata/platforms.jsonl.gz")
}

// TestRecordedPlatforms reads every response of a platform that was successful, without a meter.
func TestRecordedPlatforms(t *testing.T) {
	t.Parallel()
	complete := 0
	for _, x := range readPlatforms(t) {
		if !x.Expect.Metered || x.Response.Status != 200 {
			continue
		}
		want, got := &x.Expect, prices.Response{}
		got, err := x.read(x.form())
		switch {
		case x.Name == "bedrock-invoke-09": // the count of its output is in a header
			require.EqualError(t, err, "mesh: usage.outputTokens is missing")
			continue
		case !want.Complete:
			assert.False(t, got.Complete, x.Name)
			continue
		}
		require.NoError(t, err, x.Name)
		complete++
		bedrock := x.form() == prices.FormConverse // has neither id nor model
		assert.Equal(t, want.Upstream, got.Upstream, x.Name)
		assert.Equal(t, want.BYOK, got.BYOK, x.Name)
		assert.Equal(t, want.UpstreamUSD, got.UpstreamUSD, x.Name)
		if bedrock {
			got.ID = want.ID
		}
		want.check(t, true, got, x.Name)
		if got.Model != "" {
			assert.Equal(t, want.Model, got.Model, x.Name)
		}
	}
	assert.Greater(t, complete, 110)
}

// TestEventStreamsInPieces reads the event streams of Bedrock in pieces of any size, and whole messages as events.
func TestEventStreamsInPieces(t *testing.T) {
	t.Parallel()
	streams := 0
	for _, x := range readPlatforms(t) {
		if x.Response.Binary == nil {
			continue
		}
		streams++
		want, wantErr := x.read(x.form())
		for _, reader := range []func(io.Reader) io.Reader{iotest.OneByteReader, iotest.HalfReader} {
			stream := prices.NewStream(x.form())
			_, err := io.Copy(stream, reader(bytes.NewReader(x.Response.Binary)))
			require.NoError(t, err)
			got, err := stream.Response()
			require.NoError(t, err, x.Name) // one that was cut may go on
			if wantErr == nil {
				assert.Equal(t, want, got, x.Name)
			}
			assert.Equal(t, x.Expect.Complete, got.Complete, x.Name)
		}
		stream := prices.NewStream(x.form())
		require.NoError(t, stream.Event(x.Response.Binary))
		got, err := stream.Response()
		require.NoError(t, err)
		assert.Equal(t, x.Expect.Complete, got.Complete, x.Name)
	}
	assert.Greater(t, streams, 10)
}
