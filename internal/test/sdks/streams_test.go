package sdks_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/anthropics/anthropic-sdk-go"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/option"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
	"google.golang.org/genai"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/test/streams"
)

// These tests stream recorded and long answers to the official SDKs, through a meter and
// through mesh meter.

// streamWith reads an API's stream with its SDK. If base is "", the SDK takes the base
// URL from the environment.
func streamWith(ctx context.Context, path, base string, client *http.Client) error {
	var openAIOptions []option.RequestOption
	var anthropicOptions []anthropicoption.RequestOption
	if base != "" {
		openAIOptions = []option.RequestOption{option.WithBaseURL(base + "/v1/"), option.WithHTTPClient(client)}
		anthropicOptions = []anthropicoption.RequestOption{anthropicoption.WithBaseURL(base), anthropicoption.WithHTTPClient(client)}
	}
	switch {
	case strings.Contains(path, "/chat/completions"):
		c := openai.NewClient(append(openAIOptions, option.WithAPIKey("k"))...)
		return drain(c.Chat.Completions.NewStreaming(ctx, chatParams("gpt-4o")))
	case strings.Contains(path, "/responses"):
		c := openai.NewClient(append(openAIOptions, option.WithAPIKey("k"))...)
		asked := responses.ResponseNewParams{Model: "gpt-4o", Input: responses.ResponseNewParamsInputUnion{OfString: openai.String("Hello?")}}
		return drain(c.Responses.NewStreaming(ctx, asked))
	case strings.Contains(path, "/messages"):
		c := anthropic.NewClient(append(anthropicOptions, anthropicoption.WithAPIKey("k"))...)
		return drain(c.Messages.NewStreaming(ctx, anthropic.MessageNewParams{
			Model: "claude-sonnet-5", MaxTokens: 100, Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("Hello?"))},
		}))
	}
	c, err := genai.NewClient(ctx, &genai.ClientConfig{
		APIKey: "k", Backend: genai.BackendGeminiAPI, HTTPClient: client, HTTPOptions: genai.HTTPOptions{BaseURL: base},
	})
	if err != nil {
		return err
	}
	for _, err := range c.Models.GenerateContentStream(ctx, "gemini-3-flash-preview", genai.Text("Hello?"), nil) {
		if err != nil {
			return err
		}
	}
	return nil
}

func drain(stream interface {
	Next() bool
	Err() error
	Close() error
}) error {
	for stream.Next() {
	}
	_ = stream.Close()
	return stream.Err()
}

func TestRecordedStreamsWithOfficialSDKs(t *testing.T) {
	t.Parallel()
	for _, recorded := range streams.Recorded(t) {
		if strings.Contains(recorded.URL, "/interactions") { // no Go SDK has them
			continue
		}
		t.Run(recorded.Name, func(t *testing.T) {
			t.Parallel()
			recorded.Each(t, 17, func(s streams.Stream, want prices.Response, piece int) {
				server := serveStream(t, s.Body, piece)
				m := &metered{}
				var err error
				m.Meter, err = meter.New(meter.WithEndpoint(meter.Endpoint{Host: strings.TrimPrefix(server.URL, "http://"), API: s.Provider}), meter.WithRecorder(m.save))
				check(t, err)
				read := &readBytes{}
				err = streamWith(t.Context(), s.Path(), server.URL, &http.Client{Transport: m.Transport(read)})
				if err != nil { // an SDK may refuse a recorded event and stop there
					s.Body = read.String()
					want = s.Known(t)
				}
				r := m.record(t, 1)
				if want.Complete && want.Model == "" { // the SDK requested a different model
					r.Model = recordedModel(t, s)
				}
				streams.Check(t, want, r)
			})
		})
	}
}

// serveStream serves body in pieces of piece bytes.
func serveStream(t *testing.T, body string, piece int) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		for part := range slices.Chunk([]byte(body), piece) {
			_, _ = w.Write(part)
		}
	}))
	t.Cleanup(server.Close)
	return server
}

// readBytes keeps the bytes that were read. An SDK that stops reading closes the response
// before it returns.
type readBytes struct{ bytes.Buffer }

func (b *readBytes) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := http.DefaultTransport.RoundTrip(req)
	if err == nil {
		res.Body = struct {
			io.Reader
			io.Closer
		}{io.TeeReader(res.Body, b), res.Body}
	}
	return res, err
}

func recordedModel(t *testing.T, s streams.Stream) string {
	t.Helper()
	var request struct{ Model string }
	check(t, json.Unmarshal([]byte(s.Request), &request))
	return request.Model
}

// longAnswers returns streams with 200 kB of instructions or text, by path.
func longAnswers() map[string]string {
	long := strings.Repeat("instructions and \\\"usage\\\": ", 8_000)
	response := func(status, usage string) string {
		return fmt.Sprintf(`{"type":"response.%s","response":{"id":"resp_1","object":"response","status":"%s","instructions":"%s","model":"gpt-4o","output":[],"usage":%s}}`,
			status, status, long, usage)
	}
	events := map[string][]string{
		"/v1/responses": {
			response("created", "null"), response("in_progress", "null"),
			`{"type":"response.output_text.delta","item_id":"msg_1","output_index":0,"content_index":0,"delta":"` + long + `"}`,
			response("completed", `{"input_tokens":40003,"input_tokens_details":{"cached_tokens":1024},"output_tokens":7,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":40010}`),
		},
		"/v1/messages": {
			`{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-sonnet-5","content":[],"usage":{"input_tokens":40003,"cache_read_input_tokens":1024,"output_tokens":1}}}`,
			`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"` + long + `"}}`,
			`{"type":"content_block_stop","index":0}`,
			`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":50007}}`, `{"type":"message_stop"}`,
		},
		"/v1beta/models/gemini-3-flash-preview:streamGenerateContent": {
			`{"candidates":[{"content":{"parts":[{"text":"` + long + `"}],"role":"model"},"index":0}],"usageMetadata":{"promptTokenCount":40003,"candidatesTokenCount":9,"totalTokenCount":40012},"modelVersion":"gemini-3-flash-preview","responseId":"r1"}`,
			`{"candidates":[{"content":{"parts":[{"text":"` + long + `"}],"role":"model"},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":40003,"candidatesTokenCount":50007,"totalTokenCount":90010},"modelVersion":"gemini-3-flash-preview","responseId":"r1"}`,
		},
	}
	bodies := make(map[string]string)
	for path, list := range events {
		for _, data := range list {
			var kind struct{ Type string }
			_ = json.Unmarshal([]byte(data), &kind)
			if kind.Type != "" {
				bodies[path] += "event: " + kind.Type + "\n"
			}
			bodies[path] += "data: " + data + "\n\n"
		}
	}
	return bodies
}

// callsVariable is set in the process that mesh meter runs.
const callsVariable = "MESH_TEST_SDK_CALLS"

// If callsVariable is set, TestMain is the program that TestMeshMeterPricesLongCalls
// runs. mesh meter sets its base URLs.
func TestMain(m *testing.M) {
	if os.Getenv(callsVariable) == "" {
		os.Exit(m.Run())
	}
	for path := range longAnswers() {
		if err := streamWith(context.Background(), path, "", nil); err != nil {
			log.Fatal(err)
		}
	}
}

func TestMeshMeterPricesLongCalls(t *testing.T) {
	t.Parallel()
	bodies := longAnswers()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, bodies[r.URL.Path])
	}))
	t.Cleanup(server.Close)
	dir := t.TempDir()
	mesh, records := filepath.Join(dir, "mesh"), filepath.Join(dir, "calls")
	run(t, exec.Command("go", "build", "-C", "../../../cmd/mesh", "-o", mesh))
	self, err := os.Executable()
	check(t, err)
	cmd := exec.Command(mesh, "meter", "--log", records, "--upstream", "openai="+server.URL+"/v1", "--upstream", "anthropic="+server.URL,
		"--upstream", "gemini="+server.URL, "--", self)
	cmd.Env = append(os.Environ(), callsVariable+"=1")
	run(t, cmd)
	want := map[string]prices.USD{"gpt-4o": "0.0987975", "claude-sonnet-5": "", "gemini-3-flash-preview": ""}
	want["claude-sonnet-5"] = costOf(t, models.Anthropic, "claude-sonnet-5", prices.Usage{Input: 40_003, CacheRead: 1024, Output: 50_007})
	want["gemini-3-flash-preview"] = costOf(t, models.Gemini, "gemini-3-flash-preview", prices.Usage{Input: 40_003, Output: 50_007})
	same(t, "cost of gpt-4o", want["gpt-4o"], costOf(t, models.OpenAI, "gpt-4o", prices.Usage{Input: 38_979, CacheRead: 1024, Output: 7}))
	for r, err := range calls.Read(calls.Options{Recorded: true}, records) {
		check(t, err)
		same(t, "cost of "+r.Model, r.USD, want[r.Model])
		delete(want, r.Model)
	}
	same(t, "missing calls", len(want), 0)
}

func run(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
}

func costOf(t *testing.T, p models.Provider, model string, u prices.Usage) prices.USD {
	t.Helper()
	cost, err := prices.BuiltIn().CostOf(prices.Call{Provider: p, Model: model, Usage: u, At: time.Now()})
	check(t, err)
	return cost.USD
}
