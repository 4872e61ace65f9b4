package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

const (
	question = "Is the build green?"
	answer   = "Yes: build 4711 is green since 09:12."
	usage    = `{"prompt_tokens":1840,"completion_tokens":96,"total_tokens":1936,"prompt_tokens_details":{"cached_tokens":1024}}`
)

// talk lets node-a ask node-b, whose answer comes from a fake model through a meter.
func (s *story) talk(ctx context.Context, log *calls.Log) error {
	g := gatewaytest.Start(gatewaytest.WithToken("example-token"), gatewaytest.WithPeers("node-a", "node-b"))
	defer g.Close()
	p := discoverytest.Start()
	defer p.Close()
	p.SetCompletion(discoverytest.CreateOpenAIChat, discoverytest.Completion{Text: answer, Usage: json.RawMessage(usage)})
	var cost string
	m, err := meter.New(meter.WithHost(strings.TrimPrefix(p.URL, "http://"), models.OpenAI), meter.WithRecorder(func(r calls.Record) {
		cost = r.USD
		log.Record(r)
	}))
	if err != nil {
		return err
	}
	var nodes [2]*client.MeshClient
	for i, name := range []string{"node-a", "node-b"} {
		if nodes[i], err = client.New(name, append(g.Options(), client.WithLogger(slog.New(slog.DiscardHandler)))...); err != nil {
			return err
		}
		defer nodes[i].Close()
	}
	thread, err := nodes[0].OpenThread(ctx, "build")
	if err != nil {
		return err
	}
	ctx, end := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() {
		defer end()
		done <- nodes[1].Answer(ctx, func(ctx context.Context, msg client.MeshMessage) (string, error) {
			return complete(ctx, m, p.URL, msg.GetContent()) // ctx has the label thread
		}, client.AnswerOptions{ServeOptions: client.ServeOptions{Watch: client.WatchOptions{Interval: pollInterval}}})
	}()
	got, err := nodes[0].Ask(ctx, client.SendRequest{To: "node-b", Kind: client.KindQuestion, Content: question, ThreadID: thread.ID})
	end()
	if failed := <-done; !errors.Is(failed, context.Canceled) {
		err = failed
	}
	if err != nil {
		return err
	}
	s.section("Two nodes talk through a gateway")
	s.line("node-a: %s", question)
	s.line("node-b: %s", got.GetContent())
	s.section("A metered program")
	s.line("node-b asked gpt-5.2, a fake model, through a meter: %s USD", cost)
	return nil
}

// pollInterval is short: the gateway is in this process.
const pollInterval = 50 * time.Millisecond

// complete sends a request for a completion and returns its text.
func complete(ctx context.Context, m *meter.Meter, base, content string) (string, error) {
	body := fmt.Sprintf(`{"model":"gpt-5.2","messages":[{"role":"user","content":%q}]}`, content)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/openai/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		return "", err
	}
	req.Header.Set("Authorization", "Bearer example-key")
	resp, err := m.Client().Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	var completion struct {
		Choices []struct {
			Message struct{ Content string }
		}
	}
	if err := json.NewDecoder(resp.Body).Decode(&completion); err != nil || len(completion.Choices) == 0 {
		return "", fmt.Errorf("the fake model answered with status %d", resp.StatusCode)
	}
	return completion.Choices[0].Message.Content, nil
}
