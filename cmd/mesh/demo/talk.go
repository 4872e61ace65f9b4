package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
	ctx, stop := context.WithTimeout(ctx, time.Minute)
	defer stop()
	g := gatewaytest.Start(gatewaytest.WithToken("example-token"))
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
	a, b, err := s.nodes(g)
	if err != nil {
		return err
	}
	defer a.Close()
	defer b.Close()
	// The registration comes first: a question to a node that is not registered is refused.
	for _, c := range []*client.MeshClient{a, b} {
		if _, err := c.Register(ctx, client.RegisterRequest{URL: "http://" + c.Node()}); err != nil {
			return err
		}
	}
	thread, err := a.OpenThread(ctx, "build")
	if err != nil {
		return err
	}
	served, end := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() {
		done <- b.Answer(served, func(ctx context.Context, msg client.MeshMessage) (string, error) {
			return complete(ctx, m, p.URL, msg.GetContent()) // ctx has the label thread
		}, client.AnswerOptions{ServeOptions: client.ServeOptions{Watch: client.WatchOptions{Interval: pollInterval}}})
	}()
	got, err := a.Ask(ctx, client.SendRequest{To: "node-b", Kind: client.KindQuestion, Content: question, ThreadID: thread.ID})
	end()
	if failed := <-done; err == nil && !errors.Is(failed, context.Canceled) {
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

func (s *story) nodes(g *gatewaytest.Gateway) (a, b *client.MeshClient, err error) {
	opts := append(g.Options(), client.WithLogger(slog.New(slog.DiscardHandler)))
	if a, err = client.New("node-a", opts...); err != nil {
		return nil, nil, err
	}
	b, err = client.New("node-b", opts...)
	return a, b, err
}

// complete sends a request for a completion and returns its text.
func complete(ctx context.Context, m *meter.Meter, base, content string) (string, error) {
	body, err := json.Marshal(map[string]any{"model": "gpt-5.2", "messages": []map[string]string{{"role": "user", "content": content}}})
	if err != nil {
		return "", err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/openai/v1/chat/completions", bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	req.Header.Set("Authorization", "Bearer example-key")
	resp, err := m.Client().Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return "", err
	}
	var completion struct {
		Choices []struct {
			Message struct{ Content string }
		}
	}
	if err := json.Unmarshal(text, &completion); err != nil || len(completion.Choices) == 0 {
		return "", fmt.Errorf("the fake model answered with status %d", resp.StatusCode)
	}
	return completion.Choices[0].Message.Content, nil
}
