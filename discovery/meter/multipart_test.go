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
)

const transcribed = `{"text":"Hi","usage":{"type":"tokens","input_tokens":14,"input_token_details":{"text_tokens":0,"audio_tokens":14},"output_tokens":45,"total_tokens":59}}`

// sendForm sends a body through a meter, read in pieces of one byte or as a whole, and returns the record.
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

// The model of a transcription is in a form, before or behind a file that may look like one.
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

// The output of gpt-image-1 is an image, also in a response without details, and in a file.
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
