package discoverytest_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/test/nettest"
)

type completionRequest struct {
	op                  discoverytest.Operation
	path, streamPath    string // streamPath is path, unless the path selects streaming
	header, key         string
	body, streamed      string
	model, id, usage    string // fields in a response
	refusal, badRequest int
}

const (
	chatBody     = `{"model":"m-1","messages":[{"role":"user","content":"Hi"}]}`
	inputBody    = `{"model":"m-1","input":"Hi"}`
	messagesBody = `{"model":"m-1","max_tokens":10,"messages":[{"role":"user","content":"Hi"}]}`
	contentsBody = `{"contents":[{"parts":[{"text":"Hi"}]}]}`
)

// withStream adds the fields that request a stream with usage.
func withStream(body string) string {
	return strings.Replace(body, "{", `{"stream":true,"stream_options":{"include_usage":true},`, 1)
}

func completionRequests() []completionRequest {
	openAI := func(op discoverytest.Operation, path, body, id string, refusal int) completionRequest {
		return completionRequest{op, path, path, "Authorization", "Bearer " + key, body, withStream(body), "model", id, "usage", refusal, 400}
	}
	gemini := completionRequest{
		discoverytest.GenerateGeminiContent, "/gemini/v1beta/models/m-1:generateContent", "/gemini/v1/models/m-1:streamGenerateContent?alt=sse",
		"X-Goog-Api-Key", key, contentsBody, contentsBody, "modelVersion", "response-1", "usageMetadata", 400, 400,
	}
	anthropic := completionRequest{
		discoverytest.CreateAnthropicMessage, "/anthropic/v1/messages", "/anthropic/v1/messages",
		"X-Api-Key", key, messagesBody, withStream(messagesBody), "model", "msg_1", "usage", 401, 400,
	}
	return []completionRequest{
		anthropic, gemini,
		openAI(discoverytest.CreateOpenAIChat, "/openai/v1/chat/completions", chatBody, "chatcmpl-1", 401),
		openAI(discoverytest.CreateOpenAIResponse, "/openai/v1/responses", inputBody, "resp_1", 401),
		openAI(discoverytest.CreateDeepSeekChat, "/deepseek/chat/completions", chatBody, "chatcmpl-1", 401),
		openAI(discoverytest.CreateDeepSeekChat, "/deepseek/v1/chat/completions", chatBody, "chatcmpl-1", 401),
		openAI(discoverytest.CreateDeepSeekResponse, "/deepseek/responses", inputBody, "resp_1", 401),
		openAI(discoverytest.CreateDeepSeekResponse, "/deepseek/v1/responses", inputBody, "resp_1", 401),
		openAI(discoverytest.CreateXAIChat, "/xai/v1/chat/completions", chatBody, "chatcmpl-1", 401),
		openAI(discoverytest.CreateXAIResponse, "/xai/v1/responses", inputBody, "resp_1", 401),
		openAI(discoverytest.CreateGeminiChat, "/gemini/v1beta/openai/chat/completions", chatBody, "chatcmpl-1", 400),
	}
}

func (s *testServer) complete(ctx context.Context, r completionRequest, path, body string) (nettest.Reply, error) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+path, strings.NewReader(body))
	require.NoError(s.t, err)
	req.Header.Set("Content-Type", "application/json")
	if r.op == discoverytest.CreateAnthropicMessage {
		req.Header.Set("Anthropic-Version", "2023-06-01")
	}
	req.Header.Set(r.header, r.key)
	return nettest.Get(s.http, req)
}

func TestCompletionHasTheUsageThatIsSet(t *testing.T) {
	t.Parallel()
	const usage = `{"details":{"x":[1.50]},"input_tokens":9007199254740993}`
	for _, r := range completionRequests() {
		t.Run(r.path, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			s.SetCompletion(r.op, discoverytest.Completion{Text: "Good day.", Usage: json.RawMessage(usage)})
			got, err := s.complete(t.Context(), r, r.path, r.body)
			require.NoError(t, err)
			require.Equal(t, 200, got.Status, got.Body)
			body := got.Object(t)
			text, err := json.Marshal(body[r.usage])
			require.NoError(t, err)
			assert.Equal(t, usage, string(text))
			assert.Equal(t, "m-1", body[r.model])
			if r.op == discoverytest.GenerateGeminiContent {
				assert.Equal(t, r.id, body["responseId"])
			} else {
				assert.Equal(t, r.id, body["id"])
			}
			assert.Contains(t, got.Body, `"Good day."`)
			assert.Len(t, s.Requests(r.op), 1)

			s.SetCompletion(r.op, discoverytest.Completion{Model: "m-2", Usage: json.RawMessage("null")})
			got, err = s.complete(t.Context(), r, r.path, r.body)
			require.NoError(t, err)
			body = got.Object(t)
			assert.Contains(t, body, r.usage)
			assert.Nil(t, body[r.usage])
			assert.Equal(t, "m-2", body[r.model])
			assert.Contains(t, got.Body, strings.TrimSuffix(r.id, "1")+"2")
		})
	}
}

// streamOf requests a standard completion as a stream and returns its events.
func (s *testServer) streamOf(op discoverytest.Operation, body string) []map[string]any {
	s.t.Helper()
	for _, r := range completionRequests() {
		if r.op == op {
			if body == "" {
				body = r.streamed
			}
			got, err := s.complete(s.t.Context(), r, r.streamPath, body)
			require.NoError(s.t, err)
			return events(s.t, got)
		}
	}
	s.t.Fatal("no request for ", op)
	return nil
}

// A whole response and a stream parse to the same.
func TestCompletionsAreParsed(t *testing.T) {
	t.Parallel()
	for _, r := range completionRequests() {
		t.Run(r.path, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			provider := models.Provider(serviceOf(r.op))
			whole, err := s.complete(t.Context(), r, r.path, r.body)
			require.NoError(t, err)
			got, err := prices.ParseResponse(provider, []byte(whole.Body))
			require.NoError(t, err)
			assert.True(t, got.Complete)
			assert.Equal(t, []any{r.id, "m-1", int64(100), int64(20)}, []any{got.ID, got.Model, got.Usage.Input, got.Usage.Output})

			parts, err := s.complete(t.Context(), r, r.streamPath, r.streamed)
			require.NoError(t, err)
			stream := prices.NewStream(provider)
			for line := range strings.SplitSeq(parts.Body, "\n") {
				if data, ok := strings.CutPrefix(line, "data: "); ok {
					require.NoError(t, stream.Event([]byte(data)))
				}
			}
			streamed, err := stream.Response()
			require.NoError(t, err)
			got.ID = strings.Replace(got.ID, "1", "2", 1)
			assert.Equal(t, got, streamed)
		})
	}
}

func serviceOf(op discoverytest.Operation) string {
	service, _, _ := strings.Cut(string(op), ".")
	return service
}

func TestInvalidCompletionRequestsAreRefused(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, r := range completionRequests() {
		for _, body := range []string{"", "[]", `{"model":"m-1"}`, `{"messages":[],"input":"x","max_tokens":1}`, `{"model":1,"messages":[],"input":"x"}`} {
			got, err := s.complete(t.Context(), r, r.path, body)
			require.NoError(t, err)
			assert.Equal(t, r.badRequest, got.Status, "%s %s", r.path, body)
			assert.Contains(t, got.Object(t), "error")
		}
		none := r
		none.key = ""
		got, err := s.complete(t.Context(), none, r.path, r.body)
		require.NoError(t, err)
		assert.Equal(t, r.refusal, got.Status, r.path)
	}
	anthropic, gemini := completionRequests()[0], completionRequests()[1]
	got, err := s.complete(t.Context(), anthropic, anthropic.path, strings.Replace(messagesBody, "max_tokens", "max", 1))
	require.NoError(t, err)
	assert.Contains(t, got.Body, "max_tokens: Field required")
	withoutVersion := anthropic
	withoutVersion.op = ""
	got, err = s.complete(t.Context(), withoutVersion, anthropic.path, anthropic.body)
	require.NoError(t, err)
	assert.Contains(t, got.Body, "anthropic-version: header is required")
	for _, path := range []string{"/gemini/v1beta/models/m-1:embedContent", "/gemini/v1beta/models/m-1"} {
		got, err = s.complete(t.Context(), gemini, path, gemini.body)
		require.NoError(t, err)
		assert.Equal(t, 404, got.Status)
	}
}

func TestSetCompletionPanicsOnMistakes(t *testing.T) {
	t.Parallel()
	s := start(t)
	assert.Panics(t, func() { s.SetCompletion(discoverytest.ListCatalog, discoverytest.Completion{}) })
	assert.Panics(t, func() {
		s.SetCompletion(discoverytest.CreateOpenAIChat, discoverytest.Completion{Usage: json.RawMessage("{")})
	})
	assert.Len(t, s.streamOf(discoverytest.CreateOpenAIChat, ""), 6, "nothing is locked")
}

func TestConcurrentCompletionsHaveTheirOwnIDs(t *testing.T) {
	t.Parallel()
	s := start(t)
	r := completionRequests()[2]
	var wg sync.WaitGroup
	var ids sync.Map
	for range 20 {
		wg.Go(func() {
			s.SetCompletion(r.op, discoverytest.Completion{})
			got, err := s.complete(t.Context(), r, r.path, r.body)
			if assert.NoError(t, err) {
				_, twice := ids.LoadOrStore(got.Object(t)["id"], true)
				assert.False(t, twice)
			}
		})
	}
	wg.Wait()
	_, last := ids.Load("chatcmpl-20")
	assert.True(t, last)
}
