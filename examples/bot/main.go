// Command bot answers questions in a mesh with a language model. It stops at ^C or
// SIGTERM, after finishing the answers it's working on.
//
//	go run ./examples/bot
//	mesh send --gateway-url http://127.0.0.1:… --node me bot question "How far is the build?"     # as the bot logs it
//
// It uses the gateway in MESH_GATEWAY_URL with the token in MESH_GATEWAY_TOKEN, or else a
// gateway in memory with the node me. It uses OpenAI with the key in OPENAI_API_KEY, or
// else a model in memory. /healthz and /metrics are served at BOT_ADDR, or else
// 127.0.0.1:8080.
package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"expvar"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	b := bot{log: slog.New(slog.NewJSONHandler(os.Stderr, nil)), host: "https://api.openai.com", path: "/v1", key: os.Getenv("OPENAI_API_KEY")}
	if b.key == "" {
		b.host, b.path, b.key = discoverytest.Start().URL, "/openai/v1", "a key for a model in memory"
	}
	if os.Getenv("MESH_GATEWAY_URL") == "" {
		g := gatewaytest.Start(gatewaytest.WithPeers("me"))
		b.gateway = g.Options()
		b.log.Info("a gateway in memory", "url", g.URL)
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", cmp.Or(os.Getenv("BOT_ADDR"), "127.0.0.1:8080"))
	if err == nil {
		err = b.run(ctx, listener)
	}
	if stop(); err != nil {
		b.log.Error("the bot ended", "error", err)
		os.Exit(1)
	}
}

type bot struct {
	log             *slog.Logger
	gateway         []client.Option // if empty, the gateway in the environment
	host, path, key string          // for the model
	client          *client.MeshClient
	meter           *meter.Meter
	metrics         expvar.Map
}

// run serves as the node bot until ctx ends.
func (b *bot) run(ctx context.Context, listener net.Listener) error {
	var clientErr, meterErr error
	b.client, clientErr = client.New("bot", append(b.gateway, client.WithRetry(client.RetryPolicy{}), client.WithLogger(b.log))...)
	_, host, _ := strings.Cut(b.host, "://")
	b.meter, meterErr = meter.New(meter.WithEndpoint(meter.Endpoint{Host: host, API: models.OpenAI}), meter.WithBudget(meter.Budget{USD: "5", Per: meter.PeriodDay}))
	if err := errors.Join(clientErr, meterErr); err != nil {
		return err
	}
	defer b.client.Close()
	b.metrics.Set("spent", expvar.Func(func() any { return b.meter.Spent() }))
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", b.health)
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, b.metrics.String()) })
	server := http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(listener) }()
	defer server.Close()
	return agent.Serve(ctx, b.client, b.answer, agent.ServeOptions{
		Kinds:    []client.Kind{client.KindQuestion}, // two bots that answer answers would never stop
		Register: &client.RegisterRequest{URL: "http://" + listener.Addr().String()},
		Workers:  4, Interval: time.Second, IdleInterval: 10 * time.Second,
		OnError: func(m client.MeshMessage, err error) { // a message that has an ID is given up and stays unread
			b.metrics.Add("errors", 1)
			b.log.Error("serving failed", "message", m.ID, "error", err)
		},
	})
}

// answer answers a question. If it fails, Serve calls it again, up to five times. If the
// same answer is sent twice, it arrives once.
func (b *bot) answer(ctx context.Context, m client.MeshMessage) error {
	ctx, cancel := context.WithTimeout(meter.WithLabel(ctx, "from", m.FromNode), time.Minute)
	defer cancel()
	text, err := b.complete(ctx, m.GetContent())
	if err == nil {
		_, err = b.client.Reply(ctx, m, client.SendRequest{Content: text})
	}
	if err != nil {
		b.metrics.Add("failed_attempts", 1)
		return err
	}
	b.metrics.Add("answered", 1)
	b.log.Info("answered", "message", m.ID, "from", m.FromNode)
	return nil
}

// complete requests a completion. The question is untrusted text, so the model gets no
// secrets or tools.
func (b *bot) complete(ctx context.Context, question string) (string, error) {
	body, err := json.Marshal(map[string]any{"model": "gpt-5-mini", "messages": []any{map[string]string{"role": "user", "content": question}}})
	req, reqErr := http.NewRequestWithContext(ctx, http.MethodPost, b.host+b.path+"/chat/completions", bytes.NewReader(body))
	if err := errors.Join(err, reqErr); err != nil {
		return "", err
	}
	req.Header = http.Header{"Authorization": {"Bearer " + b.key}, "Content-Type": {"application/json"}}
	resp, err := b.meter.Client().Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	var completion struct {
		Choices []struct{ Message struct{ Content string } }
	}
	err = json.NewDecoder(io.LimitReader(resp.Body, 1<<20)).Decode(&completion)
	if resp.StatusCode != http.StatusOK || err != nil || len(completion.Choices) == 0 {
		return "", errors.Join(fmt.Errorf("no completion, status %d", resp.StatusCode), err)
	}
	return completion.Choices[0].Message.Content, nil
}

// health returns 503 while the gateway is unreachable.
func (b *bot) health(w http.ResponseWriter, r *http.Request) {
	if _, err := b.client.Health(r.Context()); err != nil {
		http.Error(w, "the gateway does not answer", http.StatusServiceUnavailable)
	}
}
