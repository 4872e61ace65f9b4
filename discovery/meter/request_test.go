package meter_test

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

const transcribed = `{"text":"Hi","usage":{"type":"tokens","input_tokens":14,"input_token_details":{"text_tokens":0,"audio_tokens":14},"output_tokens":45,"total_tokens":59}}`

// sendForm sends a body through a meter and returns the record. If piecewise, the
// transport reads single bytes.
func sendForm(t *testing.T, path, contentType string, body []byte, answer string, piecewise bool) calls.Record {
	t.Helper()
	var records recorder
	m, err := meter.New(meter.WithRecorder(records.record))
	require.NoError(t, err)
	base := roundTripper(func(req *http.Request) (*http.Response, error) {
		in := io.Reader(req.Body)
		if piecewise {
			in = iotest.OneByteReader(in)
		}
		sent, err := io.ReadAll(in)
		require.NoError(t, err)
		assert.True(t, bytes.Equal(body, sent), "the bytes are unchanged")
		return &http.Response{StatusCode: 200, Header: http.Header{}, Request: req, Body: io.NopCloser(strings.NewReader(answer))}, nil
	})
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://api.openai.com/v1/"+path, bytes.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("Content-Type", contentType)
	res, err := m.Transport(base).RoundTrip(req)
	require.NoError(t, err)
	readAll(t, res)
	require.Len(t, records.all(), 1)
	return records.all()[0]
}

// A transcription's model is in a form, before or after a file that may look like a form.
func TestTheModelOfAForm(t *testing.T) {
	t.Parallel()
	file := []byte(strings.Repeat("\x00\r\n--\n", 5000) + "\r\nContent-Disposition: form-data; name=\"model\"\r\n\r\nwhisper-1\r\n" + strings.Repeat("x", 5000))
	for name, parts := range map[string]func(w *multipart.Writer){
		"before the file": func(w *multipart.Writer) {
			field(w, "model", "gpt-4o-transcribe")
			attach(w, file)
			field(w, "language", "de")
		},
		"behind the file": func(w *multipart.Writer) {
			field(w, "language", "de")
			attach(w, file)
			field(w, "model", "gpt-4o-transcribe")
		},
	} {
		var body bytes.Buffer
		w := multipart.NewWriter(&body)
		parts(w)
		require.NoError(t, w.Close())
		for _, piecewise := range []bool{false, true} {
			r := sendForm(t, "audio/transcriptions", w.FormDataContentType(), body.Bytes(), transcribed, piecewise)
			assert.Equal(t, "gpt-4o-transcribe", r.Model, name)
			assert.EqualValues(t, "0.000485", r.USD, r.Unpriced)
		}
	}
}

func field(w *multipart.Writer, name, value string) { _ = w.WriteField(name, value) }

func attach(w *multipart.Writer, content []byte) {
	part, _ := w.CreateFormFile("file", "model.wav")
	_, _ = part.Write(content)
}

func TestFormsWithoutAModel(t *testing.T) {
	t.Parallel()
	const header = "Content-Disposition: form-data; name=model\r\n\r\n"
	for body, want := range map[string]string{
		"--b\r\n" + header + "gpt-4o-transcribe\r\n--b--\r\n":                                                                 "gpt-4o-transcribe",
		"--b\n" + strings.ReplaceAll(header, "\r", "") + "gpt-4o-transcribe\n--b--\n":                                         "gpt-4o-transcribe",
		"--b\r\ncontent-disposition: form-data; name=\"model\"\r\nContent-Type: text/plain\r\n\r\ngpt-4o-transcribe\r\n--b--": "gpt-4o-transcribe",
		"--c\r\n" + header + "gpt-4o-transcribe\r\n--c--\r\n":                                                                 "",
		"--b\r\n" + header + "gpt-4o-transcribe":                                                                              "",
		"--b\r\n" + header + "\r\n--b--":                                                                                      "",
		header + "gpt-4o-transcribe\r\n":                                                                                      "",
		"":                                                                                                                    "",
		"--b\r\n" + strings.Repeat("x", 1<<20):                                                                                "",
	} {
		r := sendForm(t, "audio/transcriptions", "multipart/form-data; boundary=b", []byte(body), transcribed, false)
		assert.Equal(t, want, r.Model, "%.80q", body)
	}
	r := sendForm(t, "audio/transcriptions", "multipart/form-data; boundary", []byte("--b"), transcribed, false)
	assert.Contains(t, r.Unpriced, "names the model")
}

// gpt-image-1's output is an image, even if a response or a file has no details.
func TestImagesWithoutDetails(t *testing.T) {
	t.Parallel()
	const answer = `{"created":1,"data":[{"b64_json":"x"}],"usage":{"input_tokens":10,%s"output_tokens":4160,"total_tokens":4170}}`
	for _, details := range []string{
		"", `"output_tokens_details":null,`, `"input_tokens_details":{"image_tokens":0,"text_tokens":10},`,
		`"output_tokens_details":{"image_tokens":4160,"text_tokens":0},`,
	} {
		for _, path := range []string{"images/generations", "images/edits"} {
			r := sendForm(t, path, "application/json", []byte(`{"model":"gpt-image-1","prompt":"x"}`), fmt.Sprintf(answer, details), false)
			assert.EqualValues(t, "0.16645", r.USD, r.Unpriced)
			checkSums(t, &r)
			call, err := r.Call()
			require.NoError(t, err)
			assert.Equal(t, []int64{0, 4160}, []int64{call.Usage.Output, call.Usage.ImageOutput})
			assert.EqualValues(t, 4160, sumOf(t, r, false).Usage.ImageOutput)
		}
	}
}

func FuzzForm(f *testing.F) {
	f.Add("--b\r\nContent-Disposition: form-data; name=model\r\n\r\ngpt-4o\r\n--b--\r\n")
	f.Add("--b\nContent-Disposition: form-data; name=\"file\"\n\n--b\n--b--")
	f.Fuzz(func(t *testing.T, body string) {
		whole := sendForm(t, "audio/transcriptions", "multipart/form-data; boundary=b", []byte(body), transcribed, false)
		split := sendForm(t, "audio/transcriptions", "multipart/form-data; boundary=b", []byte(body), transcribed, true)
		assert.Equal(t, whole.Model, split.Model)
	})
}

func TestWrongEndpoints(t *testing.T) {
	t.Parallel()
	for name, e := range map[string]meter.Endpoint{
		"nothing":                     {},
		"no API":                      {Host: "host"},
		"an API that is not known":    {Host: "host", API: "groq"},
		"a URL":                       {Host: "https://host/v1", API: models.OpenAI},
		"a provider in capitals":      {Host: "host", API: models.OpenAI, Provider: "Groq!"},
		"a long provider":             {Host: "host", API: models.OpenAI, Provider: models.Provider(strings.Repeat("a", 65))},
		"a platform":                  {Host: "host", API: models.OpenAI, Platform: "nowhere"},
		"a platform without a region": {Platform: prices.PlatformAzure},
		"a region of Azure":           {Platform: prices.PlatformAzure, Region: "westeurope"},
	} {
		_, err := meter.New(meter.WithEndpoint(e))
		var wrong *meter.ValueError
		assert.ErrorAs(t, err, &wrong, name)
	}
}

// endpointCase is a call to an endpoint that answers with 1,000 input and 500 output
// tokens, and its record.
type endpointCase struct {
	name     string
	endpoint meter.Endpoint
	url      string
	provider models.Provider
	api      string
	platform string
	region   string
	usd      string
}

func TestCallsToEndpoints(t *testing.T) {
	t.Parallel()
	list, err := prices.BuiltIn().With(
		prices.Row{Provider: "groq", ModelHint: "gpt-4o-2024-08-06", InputPerMTok: "1", OutputPerMTok: "2"},
		prices.Row{Provider: "local", ModelHint: "gpt-4o-2024-08-06", InputPerMTok: "0"},
	)
	require.NoError(t, err)
	const azure, deployment = "https://r.openai.azure.com", "/openai/deployments/d/chat/completions"
	for _, c := range []endpointCase{
		{"a provider's proxy", meter.Endpoint{Host: "Proxy", API: models.OpenAI}, "http://proxy:8080/v1/chat/completions", "openai", "", "", "", "0.0075"},
		{"the usual port", meter.Endpoint{Host: "proxy:443", API: models.OpenAI}, "https://proxy/v1/chat/completions", "openai", "", "", "", "0.0075"},
		{"a name with prices", meter.Endpoint{Host: "api.groq.com", API: models.OpenAI, Provider: "groq"}, "https://api.groq.com/openai/v1/chat/completions", "groq", "openai", "", "", "0.002"},
		{"a name without prices", meter.Endpoint{Host: "api.groq.com", API: "OpenAI", Provider: "acme"}, "https://api.groq.com/openai/v1/chat/completions", "acme", "openai", "", "", ""},
		{"a host that is free", meter.Endpoint{Host: "127.0.0.1:1234", API: models.OpenAI, Provider: "local"}, "http://127.0.0.1:1234/v1/chat/completions", "local", "openai", "", "", "0"},
		{"Azure", meter.Endpoint{Host: "x", API: models.OpenAI}, azure + deployment, "openai", "", "azure", "", ""},
		{"Azure, all hosts", meter.Endpoint{Platform: prices.PlatformAzure, Region: "Global"}, azure + deployment, "openai", "", "azure", "global", "0.0075"},
		{"Azure, one host", meter.Endpoint{Host: "r.openai.azure.com", API: models.OpenAI, Platform: prices.PlatformAzure, Region: "data-zone"}, azure + deployment, "openai", "", "azure", "data-zone", "0.00825"},
		{"Azure, a private host", meter.Endpoint{Host: "azure.internal", Platform: prices.PlatformAzure, Region: "regional"}, "https://azure.internal" + deployment, "openai", "", "azure", "regional", ""},
		{"Bedrock, a private host", meter.Endpoint{Host: "vpce.internal", Platform: prices.PlatformBedrock, Region: "us-east-1"}, "https://vpce.internal/openai/v1/chat/completions", "", "openai", "bedrock", "us-east-1", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			records := &recorder{}
			m, err := meter.New(meter.WithPrices(list), meter.WithEndpoint(c.endpoint), meter.WithRecorder(records.record))
			require.NoError(t, err)
			exchange := &exchange{}
			exchange.Response.Status, exchange.Response.Body = http.StatusOK, chatAnswer
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.url, strings.NewReader(chat))
			require.NoError(t, err)
			res, err := m.Transport(provider{exchange, []int{1 << 20}, false}).RoundTrip(req)
			require.NoError(t, err)
			readAll(t, res)
			require.Len(t, records.all(), 1)
			r := records.all()[0]
			got := endpointCase{c.name, c.endpoint, c.url, r.Provider, r.API, r.Platform, r.Region, string(r.USD)}
			assert.Equal(t, c, got)
			assert.Equal(t, r.USD == "", r.Unpriced != "")
		})
	}
}

// A signature covers the body, so a signed request is sent unchanged.
func TestSignedRequestsAreNotChanged(t *testing.T) {
	t.Parallel()
	const stream = `{"model":"gpt-4o","stream":true}`
	for name, sign := range map[string]func(*http.Request){
		"a header": func(r *http.Request) { r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=x") },
		"a query":  func(r *http.Request) { r.URL.RawQuery = "X-Amz-Signature=x" },
		"Bedrock":  func(r *http.Request) { r.URL.Host = "bedrock-runtime.us-east-1.amazonaws.com" },
	} {
		m, err := meter.New(meter.WithStreamUsage())
		require.NoError(t, err)
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://api.openai.com/openai/v1/chat/completions", strings.NewReader(stream))
		require.NoError(t, err)
		sign(req)
		var sent string
		res, err := m.Transport(roundTripper(func(r *http.Request) (*http.Response, error) {
			sent = string(mustRead(t, r.Body))
			return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: http.NoBody}, nil
		})).RoundTrip(req)
		require.NoError(t, err)
		res.Body.Close()
		assert.Equal(t, stream, sent, name)
	}
}

// A budget counts OpenRouter's charge and the upstream provider's.
func TestBudgetsCountTheUpstreamCharge(t *testing.T) {
	t.Parallel()
	const answer = `{"id":"gen-1","model":"openai/gpt-4o-mini","provider":"OpenAI","choices":[{"finish_reason":"stop"}],"usage":{"prompt_tokens":14,` +
		`"completion_tokens":7,"total_tokens":21,"cost":0.5,"is_byok":true,"cost_details":{"upstream_inference_cost":1.25e-3}}}`
	records := &recorder{}
	m, err := meter.New(meter.WithBudget(meter.Budget{USD: "1"}), meter.WithRecorder(records.record))
	require.NoError(t, err)
	callOpenRouter(t, m, answer)
	require.Len(t, records.all(), 1)
	r := records.all()[0]
	assert.Equal(t, []string{"0.5", "0.00125", "OpenAI"}, []string{string(r.USD), string(r.UpstreamUSD), r.Upstream})
	assert.True(t, r.BYOK)
	assert.EqualValues(t, "0.50125", m.Budgets()[0].SpentUSD)
	assert.EqualValues(t, "0.5", m.Spent().USD)

	again, err := meter.New(meter.WithBudget(meter.Budget{USD: "1"}))
	require.NoError(t, err)
	require.NoError(t, again.Restore(func(yield func(calls.Record, error) bool) { yield(r, nil) }))
	assert.EqualValues(t, "0.50125", again.Budgets()[0].SpentUSD)
}

// An invalid charge leaves the call unpriced, with the reason.
func TestChargesThatAreWrong(t *testing.T) {
	t.Parallel()
	for name, cost := range map[string]string{
		"negative":         `"cost":-0.5`,
		"NaN":              `"cost":"NaN"`,
		"an exponent":      `"cost":1e999999999`,
		"another currency": `"cost":0.5,"currency":"EUR"`,
	} {
		records := &recorder{}
		m, err := meter.New(meter.WithRecorder(records.record))
		require.NoError(t, err)
		callOpenRouter(t, m, `{"id":"gen-1","model":"openai/gpt-4o-mini","choices":[{"finish_reason":"stop"}],"usage":{"prompt_tokens":14,"completion_tokens":7,"total_tokens":21,`+cost+`}}`)
		require.Len(t, records.all(), 1, name)
		assert.Empty(t, records.all()[0].USD, name)
		assert.Contains(t, records.all()[0].Unpriced, "cost", name)
		assert.NotNil(t, records.all()[0].Usage, name)
	}
}

// callOpenRouter sends a call that is answered with answer, and checks that the bytes are
// unchanged.
func callOpenRouter(t *testing.T, m *meter.Meter, answer string) {
	t.Helper()
	exchange := &exchange{}
	exchange.Response.Status, exchange.Response.Body = http.StatusOK, answer
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://openrouter.ai/api/v1/chat/completions", strings.NewReader(`{"model":"openai/gpt-4o-mini"}`))
	require.NoError(t, err)
	res, err := m.Transport(provider{exchange, []int{5}, false}).RoundTrip(req)
	require.NoError(t, err)
	assert.Equal(t, answer, string(readAll(t, res)))
}

func readAll(t *testing.T, res *http.Response) []byte {
	t.Helper()
	defer res.Body.Close()
	return mustRead(t, res.Body)
}

func mustRead(t *testing.T, body io.Reader) []byte {
	t.Helper()
	text, err := io.ReadAll(body)
	require.NoError(t, err)
	return text
}
