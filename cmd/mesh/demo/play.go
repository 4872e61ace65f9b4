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
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/report"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/report/page"
	"github.com/mesh-gateway/mesh-go/discovery/bills"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

const (
	callsFolder  = "calls"
	billFile     = "bill.json"
	reportFile   = "report.html"
	agentFile    = "agent.sh"
	commandsFile = "commands.txt"
)

type story struct {
	out   io.Writer
	dir   string
	now   time.Time
	today time.Time // UTC day; the calls are from the 90 days before
}

// Play prints the demo to out and writes its files to dir, which must exist. The calls
// are from the 90 days before now.
func Play(ctx context.Context, out io.Writer, dir string, now time.Time) error {
	s := &story{out: out, dir: dir, now: now, today: now.UTC().Truncate(24 * time.Hour)}
	log, err := calls.OpenLog(s.path(callsFolder))
	if err != nil {
		return err
	}
	defer log.Close()
	if err := s.talk(ctx, log); err != nil {
		return err
	}
	if err := s.history(ctx, log); err != nil {
		return err
	}
	if err := log.Close(); err != nil {
		return err
	}
	c, err := s.bill()
	if err != nil {
		return err
	}
	if err := s.report(c); err != nil {
		return err
	}
	return s.commands()
}

func (s *story) day(ago int) time.Time { return s.today.AddDate(0, 0, -ago) }

func (s *story) path(name string) string { return filepath.Join(s.dir, name) }

func (s *story) section(title string) { fmt.Fprintf(s.out, "\n%s\n", title) }

func (s *story) line(format string, args ...any) { fmt.Fprintf(s.out, "  "+format+"\n", args...) }

func (s *story) report(c *bills.Comparison) error {
	r, err := report.Read(report.Options{Bills: []*bills.Comparison{c}, Now: s.now}, s.path(callsFolder))
	if err != nil {
		return err
	}
	r.Source.Paths = []string{callsFolder}
	var html bytes.Buffer
	if err := page.Write(&html, r); err != nil {
		return err
	}
	s.section("The report")
	s.line("%s", s.path(reportFile))
	return os.WriteFile(s.path(reportFile), html.Bytes(), 0o600)
}

const (
	question = "Is the build green?"
	answer   = "Yes: build 4711 is green since 09:12."
	usage    = `{"prompt_tokens":1840,"completion_tokens":96,"total_tokens":1936,"prompt_tokens_details":{"cached_tokens":1024}}`
)

// talk lets node-a ask node-b, which gets its answer from a fake model through a meter.
func (s *story) talk(ctx context.Context, log *calls.Log) error {
	g := gatewaytest.Start(gatewaytest.WithToken("example-token"), gatewaytest.WithPeers("node-a", "node-b"))
	defer g.Close()
	p := discoverytest.Start()
	defer p.Close()
	p.SetCompletion(discoverytest.CreateOpenAIChat, discoverytest.Completion{Text: answer, Usage: json.RawMessage(usage)})
	var cost prices.USD
	m, err := meter.New(meter.WithEndpoint(meter.Endpoint{Host: strings.TrimPrefix(p.URL, "http://"), API: models.OpenAI}), meter.WithRecorder(func(r calls.Record) {
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
		done <- agent.Answer(ctx, nodes[1], func(ctx context.Context, msg client.MeshMessage) (string, error) {
			return complete(ctx, m, p.URL, msg.GetContent()) // ctx carries the thread label
		}, agent.AnswerOptions{ServeOptions: agent.ServeOptions{Interval: pollInterval}})
	}()
	got, err := agent.Ask(ctx, nodes[0], client.SendRequest{To: "node-b", Kind: client.KindQuestion, Content: question, ThreadID: thread.ID})
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
		return "", fmt.Errorf("fake model: status %d", resp.StatusCode)
	}
	return completion.Choices[0].Message.Content, nil
}
