package sdks_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/option"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"
	"google.golang.org/genai"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
)

const answer = "Good day to you."

// counts has a call's tokens as an SDK reads them.
type counts struct{ input, cached, written, output int64 }

var want = counts{input: 1200, cached: 1000, output: 7}

// set makes an operation return the answer, with usage.
func set(s *discoverytest.Server, op discoverytest.Operation, usage string) {
	s.SetCompletion(op, discoverytest.Completion{Text: answer, Usage: json.RawMessage(usage)})
}

const (
	chatUsage      = `{"prompt_tokens":1200,"completion_tokens":7,"total_tokens":1207,"prompt_tokens_details":{"cached_tokens":1000}}`
	responsesUsage = `{"input_tokens":1200,"input_tokens_details":{"cached_tokens":1000},"output_tokens":7,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":1207}`
	messagesUsage  = `{"input_tokens":1200,"cache_read_input_tokens":1000,"cache_creation_input_tokens":30,"cache_creation":{"ephemeral_5m_input_tokens":20,"ephemeral_1h_input_tokens":10},"output_tokens":7}`
	contentUsage   = `{"promptTokenCount":1200,"cachedContentTokenCount":1000,"candidatesTokenCount":7,"totalTokenCount":1207}`
)

// compatible has the providers with OpenAI's APIs. DeepSeek and xAI have no Go SDK.
var compatible = []struct {
	path            string
	service         discovery.Service
	chat, responses discoverytest.Operation
}{
	{"/openai/v1/", discovery.ServiceOpenAI, discoverytest.CreateOpenAIChat, discoverytest.CreateOpenAIResponse},
	{"/deepseek/", discovery.ServiceDeepSeek, discoverytest.CreateDeepSeekChat, discoverytest.CreateDeepSeekResponse},
	{"/xai/v1/", discovery.ServiceXAI, discoverytest.CreateXAIChat, discoverytest.CreateXAIResponse},
	{"/gemini/v1beta/openai/", discovery.ServiceGemini, discoverytest.CreateGeminiChat, ""},
}

func chatCounts(usage openai.CompletionUsage) counts {
	return counts{usage.PromptTokens, usage.PromptTokensDetails.CachedTokens, 0, usage.CompletionTokens}
}

func TestChatWithOpenAI(t *testing.T) {
	t.Parallel()
	for _, provider := range compatible {
		t.Run(provider.path, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			set(s, provider.chat, chatUsage)
			client := openAI(s, provider.path, provider.service)
			params := openai.ChatCompletionNewParams{Model: "m-1", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("Hello?")}}
			whole, err := client.Chat.Completions.New(t.Context(), params)
			check(t, err)
			same(t, "text", answer, whole.Choices[0].Message.Content)
			same(t, "id and model", "chatcmpl-1 m-1", whole.ID+" "+whole.Model)
			same(t, "usage", want, chatCounts(whole.Usage))

			params.StreamOptions.IncludeUsage = openai.Bool(true)
			stream := client.Chat.Completions.NewStreaming(t.Context(), params)
			var streamed openai.ChatCompletionAccumulator
			for stream.Next() {
				streamed.AddChunk(stream.Current())
			}
			check(t, stream.Err())
			same(t, "streamed text", answer, streamed.Choices[0].Message.Content)
			same(t, "streamed finish reason", "stop", streamed.Choices[0].FinishReason)
			same(t, "streamed id and model", "chatcmpl-2 m-1", streamed.ID+" "+streamed.Model)
			same(t, "streamed usage", want, chatCounts(streamed.Usage))
		})
	}
}

func responseCounts(usage responses.ResponseUsage) counts {
	return counts{usage.InputTokens, usage.InputTokensDetails.CachedTokens, 0, usage.OutputTokens}
}

func TestResponsesWithOpenAI(t *testing.T) {
	t.Parallel()
	for _, provider := range compatible[:3] {
		t.Run(provider.path, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			set(s, provider.responses, responsesUsage)
			client := openAI(s, provider.path, provider.service)
			params := responses.ResponseNewParams{Model: "m-1", Input: responses.ResponseNewParamsInputUnion{OfString: openai.String("Hello?")}}
			whole, err := client.Responses.New(t.Context(), params)
			check(t, err)
			same(t, "text", answer, whole.OutputText())
			same(t, "id and model", "resp_1 m-1", whole.ID+" "+whole.Model)
			same(t, "usage", want, responseCounts(whole.Usage))

			stream := client.Responses.NewStreaming(t.Context(), params)
			text, last := "", responses.Response{}
			for stream.Next() {
				text += stream.Current().Delta
				last = stream.Current().Response
			}
			check(t, stream.Err())
			same(t, "streamed text", answer, text)
			same(t, "streamed output", answer, last.OutputText())
			same(t, "streamed id and model", "resp_2 m-1", last.ID+" "+last.Model)
			same(t, "streamed usage", want, responseCounts(last.Usage))
		})
	}
}

func messages(s *discoverytest.Server) (anthropic.MessageService, anthropic.MessageNewParams) {
	client := anthropic.NewClient(anthropicoption.WithBaseURL(s.URL+"/anthropic"), anthropicoption.WithAPIKey(keyOf(discovery.ServiceAnthropic)))
	return client.Messages, anthropic.MessageNewParams{
		Model: "m-1", MaxTokens: 100, Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("Hello?"))},
	}
}

func sameMessage(t *testing.T, id string, message anthropic.Message) {
	t.Helper()
	same(t, "text", answer, message.Content[0].Text)
	same(t, "id and model", id+" m-1", message.ID+" "+message.Model)
	same(t, "stop reason", anthropic.StopReasonEndTurn, message.StopReason)
	usage := message.Usage
	same(t, "usage", counts{1200, 1000, 30, 7}, counts{usage.InputTokens, usage.CacheReadInputTokens, usage.CacheCreationInputTokens, usage.OutputTokens})
	same(t, "5 minutes", 20, usage.CacheCreation.Ephemeral5mInputTokens)
	same(t, "1 hour", 10, usage.CacheCreation.Ephemeral1hInputTokens)
}

func TestMessagesWithAnthropic(t *testing.T) {
	t.Parallel()
	s := start(t)
	set(s, discoverytest.CreateAnthropicMessage, messagesUsage)
	service, params := messages(s)
	whole, err := service.New(t.Context(), params)
	check(t, err)
	sameMessage(t, "msg_1", *whole)

	stream := service.NewStreaming(t.Context(), params)
	var streamed anthropic.Message
	for stream.Next() {
		check(t, streamed.Accumulate(stream.Current()))
	}
	check(t, stream.Err())
	sameMessage(t, "msg_2", streamed)
}

// The SDK returns an error for an error event and for a broken connection.
func TestInterruptedMessagesWithAnthropic(t *testing.T) {
	t.Parallel()
	s := start(t)
	service, params := messages(s)
	for name, fault := range map[string]discoverytest.Fault{
		"error event": {AfterEvents: 4, Body: "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n"},
		"cut":         {AfterEvents: 4, HangUp: true},
	} {
		s.Fail(discoverytest.CreateAnthropicMessage, fault)
		stream := service.NewStreaming(t.Context(), params)
		events := 0
		for stream.Next() {
			events++
		}
		if stream.Err() == nil || events == 0 {
			t.Errorf("%s: %d events, error %v", name, events, stream.Err())
		}
	}
	s.Fail(discoverytest.CreateAnthropicMessage, discoverytest.Fault{Times: -1, Status: 400, Body: `{"type":"error","error":{"type":"invalid_request_error","message":"no"}}`})
	_, err := service.New(t.Context(), params)
	var refused *anthropic.Error
	if !errors.As(err, &refused) || refused.StatusCode != 400 {
		t.Errorf("the SDK returns %v", err)
	}
}

func TestContentWithGemini(t *testing.T) {
	t.Parallel()
	s := start(t)
	set(s, discoverytest.GenerateGeminiContent, contentUsage)
	client, err := genai.NewClient(t.Context(), &genai.ClientConfig{
		APIKey: keyOf(discovery.ServiceGemini), Backend: genai.BackendGeminiAPI, HTTPOptions: genai.HTTPOptions{BaseURL: s.URL + "/gemini/"},
	})
	check(t, err)
	sameContent := func(id, text string, last *genai.GenerateContentResponse) {
		t.Helper()
		same(t, "text", answer, text)
		same(t, "id and model", id+" m-1", last.ResponseID+" "+last.ModelVersion)
		same(t, "finish reason", genai.FinishReasonStop, last.Candidates[0].FinishReason)
		usage := last.UsageMetadata
		same(t, "usage", want, counts{int64(usage.PromptTokenCount), int64(usage.CachedContentTokenCount), 0, int64(usage.CandidatesTokenCount)})
	}
	whole, err := client.Models.GenerateContent(t.Context(), "m-1", genai.Text("Hello?"), nil)
	check(t, err)
	sameContent("response-1", whole.Text(), whole)

	text, last := "", (*genai.GenerateContentResponse)(nil)
	for part, err := range client.Models.GenerateContentStream(t.Context(), "m-1", genai.Text("Hello?"), nil) {
		check(t, err)
		text, last = text+part.Text(), part
	}
	sameContent("response-2", text, last)
}
