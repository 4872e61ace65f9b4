// Command prism runs requests through a Prism proxy in front of the in-memory gateway.
// Prism validates each request and each answer against specs/gateway.yaml.
//
//	go run ./.ci/prism path/to/prism
//
// It fails when Prism reports a violation in the usual exchanges, and when Prism misses
// one of three planted bad answers.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

const token = "token-of-the-prism-check"

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: prism path/to/prism")
		os.Exit(2)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	if err := check(ctx, os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "prism:", err)
		os.Exit(1)
	}
}

func check(ctx context.Context, prism string) error {
	exchanges := 0
	for _, opts := range [][]gatewaytest.Option{nil, {gatewaytest.WithBareArrays()}} {
		opts = append(opts, gatewaytest.WithToken(token), gatewaytest.WithPeers("node-a", "node-b"))
		err := throughPrism(ctx, prism, gatewaytest.Start(opts...), func(p *proxy, _ *gatewaytest.Gateway) error {
			exchanges += len(scenario)
			return p.run(ctx, scenario)
		})
		if err != nil {
			return err
		}
	}
	fmt.Printf("prism: %d exchanges, no violation\n", exchanges)
	opts := []gatewaytest.Option{gatewaytest.WithToken(token), gatewaytest.WithPeers("node-a", "node-b")}
	return throughPrism(ctx, prism, gatewaytest.Start(opts...), func(p *proxy, g *gatewaytest.Gateway) error {
		return p.plant(ctx, g)
	})
}

// throughPrism starts the proxy in front of g, calls run, and stops both.
func throughPrism(ctx context.Context, prism string, g *gatewaytest.Gateway, run func(*proxy, *gatewaytest.Gateway) error) error {
	defer g.Close()
	ctx, cancel := context.WithCancel(ctx)
	addr, err := freeAddr(ctx)
	if err != nil {
		cancel()
		return err
	}
	host, port, _ := net.SplitHostPort(addr)
	cmd := exec.CommandContext(ctx, prism, "proxy", "--host", host, "--port", port, "specs/gateway.yaml", g.URL) //nolint:gosec // the argument is the program to run
	out, err := cmd.StdoutPipe()
	if err != nil {
		cancel()
		return err
	}
	if err := cmd.Start(); err != nil {
		cancel()
		return err
	}
	defer func() { cancel(); _ = cmd.Wait() }()
	if err := listening(out); err != nil {
		return err
	}
	return run(&proxy{url: "http://" + addr}, g)
}

func freeAddr(ctx context.Context) (string, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer listener.Close()
	return listener.Addr().String(), nil
}

// listening returns when Prism has written that it listens, and goes on to discard what
// it writes.
func listening(out io.Reader) error {
	var log strings.Builder
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		log.WriteString(lines.Text() + "\n")
		if strings.Contains(lines.Text(), "is listening on") {
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return nil
		}
	}
	return errors.New("Prism did not start:\n" + log.String())
}

// step is one request, and the status that the gateway answers.
type step struct {
	method, path, body string
	status             int
}

// scenario uses every operation, with every query parameter, and meets the usual errors.
var scenario = []step{
	{"GET", "/health", "", 200},
	{"GET", "/peers", "", 200},
	{"GET", "/peers?enabled_only=false", "", 200},
	{"GET", "/peers/node-a", "", 200},
	{"GET", "/peers/node-zz", "", 404},
	{"POST", "/peers/register", `{"name":"node-c","url":"http://node-c:8787","capabilities":{"runtime":"go","n":9007199254740993}}`, 200},
	{"POST", "/peers/register", `{"name":"node-c","url":"http://node-c:8787"}`, 200},
	{"POST", "/peers/register", `{"name":"node-d"}`, 422},
	{"POST", "/messages", `{"from_node":"node-a","to_node":"node-b","kind":"question","content":"how far?","related_task_id":"42"}`, 200},
	{"POST", "/messages", `{"from_node":"node-a","to_node":"node-b","kind":"fyi","content":"once","idempotency_key":"k-1"}`, 200},
	{"POST", "/messages", `{"from_node":"node-a","to_node":"node-b","kind":"fyi","content":"twice","idempotency_key":"k-1"}`, 409},
	{"POST", "/messages", `{"from_node":"node-a","to_node":"node-b","kind":"fyi","content":"x","thread_id":"unknown"}`, 500},
	{"POST", "/messages", `{"from_node":"node-a","to_node":"node-b","kind":"fyi","content":"x","related_task_id":"task-1"}`, 422},
	{"GET", "/messages?to=node-b&unread_only=true&limit=10&from=node-a&kind=question&since=2020-01-01", "", 200},
	{"GET", "/messages?to=node-b&thread_id=unknown", "", 200},
	{"POST", "/messages/1/read", "", 200},
	{"POST", "/messages/1/read", "", 404},
	{"POST", "/threads", `{"thread_name":"node-a↔node-b:build","session_id":"s-1"}`, 200},
	{"GET", "/threads?peer=node-a&topic=build&session_id=s-1&limit=10", "", 200},
	{"GET", "/threads/unknown?limit=10", "", 404},
}

type proxy struct{ url string }

// run performs the steps. A violation and an unexpected status are errors.
func (p *proxy) run(ctx context.Context, steps []step) error {
	var wrong []error
	for _, s := range steps {
		status, violations, err := p.do(ctx, s)
		if err != nil {
			return err
		}
		if violations != "" || status != s.status {
			wrong = append(wrong, fmt.Errorf("%s %s: status %d, violations: %s", s.method, s.path, status, violations))
		}
	}
	return errors.Join(wrong...)
}

// plant lets the gateway give three bad answers, each of which Prism has to report.
func (p *proxy) plant(ctx context.Context, g *gatewaytest.Gateway) error {
	json := http.Header{"Content-Type": {"application/json"}}
	planted := map[gatewaytest.Operation]struct {
		step
		body string
	}{
		gatewaytest.ListPeers:    {step{method: "GET", path: "/peers"}, `{"peers":[{"url":"http://a"}]}`},
		gatewaytest.ListMessages: {step{method: "GET", path: "/messages?to=node-a"}, `{"messages":[{"id":"1"}]}`},
		gatewaytest.RegisterPeer: {step{method: "POST", path: "/peers/register", body: `{"name":"node-c","url":"http://c"}`}, `{"name":7}`},
	}
	for op, c := range planted {
		g.Fail(op, gatewaytest.Fault{Header: json, Body: c.body})
		_, violations, err := p.do(ctx, c.step)
		if err != nil {
			return err
		}
		if violations == "" {
			return fmt.Errorf("%s: the bad answer %s is not reported", op, c.body)
		}
	}
	fmt.Printf("prism: %d planted bad answers, each reported\n", len(planted))
	return nil
}

// do sends one request. Prism reports violations in a header of the answer.
func (p *proxy) do(ctx context.Context, s step) (status int, violations string, err error) {
	req, err := http.NewRequestWithContext(ctx, s.method, p.url+s.path, strings.NewReader(s.body))
	if err != nil {
		return 0, "", err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	if s.body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode, strings.Join(resp.Header.Values("Sl-Violations"), "; "), err
}
