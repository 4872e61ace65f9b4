package serve

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/profile"
	"github.com/mesh-gateway/mesh-go/internal/test/nettest"
)

const token = "example-token"

// commandVariable marks this test binary as the command that mesh serve runs.
const commandVariable = "MESH_TEST_SERVE"

func TestMain(m *testing.M) {
	if os.Getenv(commandVariable) != "" {
		os.Exit(answer(os.Args[1]))
	}
	_ = os.Setenv(commandVariable, "1")
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt) // starts package signal's goroutine outside the bubbles
	signal.Stop(signals)
	os.Exit(m.Run())
}

// answer acts as the command that mesh serve runs.
func answer(how string) int {
	message, err := io.ReadAll(os.Stdin)
	if err != nil {
		return 2
	}
	fmt.Fprintln(os.Stderr, "run:", os.Getenv("MESH_MESSAGE_ID"), os.Getenv("MESH_FROM"), os.Getenv("MESH_KIND"))
	switch how {
	case "upper":
		fmt.Println(strings.ToUpper(string(message)))
	case "leak":
		fmt.Println("sk-ant-" + strings.Repeat("a", 40))
	case "flood":
		_, _ = io.Copy(os.Stdout, strings.NewReader(strings.Repeat("a", 2<<20)))
	case "fail":
		return 1
	}
	return 0
}

// log collects what serve prints.
type log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// connect returns a client for g in a bubble, where time stands still while a command
// runs.
func connect(t *testing.T, g *gatewaytest.Gateway, node string) *client.MeshClient {
	t.Helper()
	c, err := client.New(node, client.WithGatewayURL("http://gateway.test"), client.WithToken(token), client.WithLogger(slog.New(slog.DiscardHandler)),
		client.WithHTTPClient(&http.Client{Transport: nettest.Pipe(t, g.Handler())}))
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// options returns the flags' defaults, with this program as the command.
func options(t *testing.T, g *gatewaytest.Gateway, how string) (*Options, *log) {
	t.Helper()
	program, err := os.Executable()
	require.NoError(t, err)
	errs := new(log)
	return &Options{
		App: &app.App{
			Errs: errs, Client: connect(t, g, "node-a"), Args: []string{program, how},
			Settings: func() (profile.Settings, error) { return profile.Settings{}, nil }, Token: func() (string, error) { return token, nil },
		},
		kinds: []string{"question"}, workers: 1, maxAttempts: 5, giveUp: leaveUnread,
	}, errs
}

// serveFor serves for five minutes and returns the log, with the program's name replaced.
func serveFor(t *testing.T, o *Options, errs *log) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	require.NoError(t, o.run(ctx))
	return strings.ReplaceAll(errs.String(), o.Args[0], "PROGRAM")
}

// withQuestion returns a gateway with a question to node-a.
func withQuestion(t *testing.T) *gatewaytest.Gateway {
	t.Helper()
	g := gatewaytest.New(t, gatewaytest.WithToken(token), gatewaytest.WithPeers("node-a", "node-b", "node-d"))
	g.Store("node-b", "node-a", "question", "one")
	return g
}

func TestRunAnswers(t *testing.T) {
	t.Parallel()
	g := withQuestion(t)
	synctest.Test(t, func(t *testing.T) {
		o, errs := options(t, g, "upper")
		o.url = "http://a.example"
		text := serveFor(t, o, errs)
		assert.Contains(t, text, "mesh: serving as node-a: runs PROGRAM upper; ^C ends it\nrun: 1 node-b question\nmesh: message 1 from node-b: answered with message 2\n")
		answers, err := connect(t, g, "node-b").Fetch(t.Context(), client.FetchOptions{})
		require.NoError(t, err)
		require.Len(t, answers, 1)
		assert.Contains(t, answers[0].GetContent(), `"CONTENT":"ONE"`, "the message is JSON on stdin")
		peer, err := o.Client.GetPeer(t.Context(), "node-a")
		require.NoError(t, err)
		assert.Equal(t, "http://a.example", peer.GetURL())
	})
}

func TestRunReportsAttempts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		how, giveUp string
		attempts    int
		want        []string
		unread      int
	}{
		"two attempts, marked": {"fail", markRead, 2, []string{
			"message 1 from node-b: attempt 1 of 2 failed: PROGRAM: exit status 1; again after at most 1s\n",
			"message 1 from node-b is marked read: given up after attempt 2: PROGRAM: exit status 1\n",
		}, 0},
		"one attempt, left": {"fail", leaveUnread, 1, []string{
			"message 1 from node-b stays unread, to be tried again at the next start: given up after attempt 1: PROGRAM: exit status 1\n",
		}, 1},
		"too much output": {"flood", leaveUnread, 1, []string{"PROGRAM: printed more than 1048576 bytes; an answer has at most 200000 characters"}, 1},
		"no answer":       {"silent", leaveUnread, 5, []string{"mesh: message 1 from node-b: handled without an answer\n"}, 0},
		"a credential": {"leak", leaveUnread, 5, []string{
			"message 1 from node-b: the answer was refused, and the sender was told so: ", "To send a false positive, use mesh serve --allow-rule 2.\n",
		}, 0},
	} {
		g := withQuestion(t)
		synctest.Test(t, func(t *testing.T) {
			o, errs := options(t, g, c.how)
			o.giveUp, o.maxAttempts = c.giveUp, c.attempts
			text := serveFor(t, o, errs)
			for _, line := range c.want {
				assert.Contains(t, text, line, name)
			}
			assert.NotContains(t, text, "attempt 2 of 2", name)
			unread, err := o.Client.Fetch(t.Context(), client.FetchOptions{UnreadOnly: true})
			require.NoError(t, err)
			assert.Len(t, unread, c.unread, name)
		})
	}
}

func TestRunAllowsARule(t *testing.T) {
	t.Parallel()
	g := withQuestion(t)
	synctest.Test(t, func(t *testing.T) {
		o, errs := options(t, g, "leak")
		o.allowRules = []int{2, 4}
		assert.Contains(t, serveFor(t, o, errs), "answered with message 2")
	})
}

func TestRunSelectsKinds(t *testing.T) {
	t.Parallel()
	for kinds, want := range map[string]string{
		"question": "run: 1 node-b question\nrun: 3 node-b question\n", "fyi,question": "run: 1 node-b question\nrun: 3 node-b question\n",
		"answer": "run: 2 node-b answer\n", "all": "run: 1 node-b question\nrun: 2 node-b answer\nrun: 3 node-b question\n",
	} {
		g := withQuestion(t)
		synctest.Test(t, func(t *testing.T) {
			g.Store("node-b", "node-a", "answer", "two")
			g.Store("node-b", "node-a", "question", "three")
			o, errs := options(t, g, "silent")
			o.kinds = strings.Split(kinds, ",")
			runs := ""
			for line := range strings.Lines(serveFor(t, o, errs)) {
				if strings.HasPrefix(line, "run: ") {
					runs += line
				}
			}
			assert.Equal(t, want, runs, kinds)
		})
	}
}

// The command doesn't run if the asker is known to be unregistered. It runs if that's
// unknown, or if no answer is needed.
func TestRunChecksTheSender(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		from, kind string
		status     int
		want       string
	}{
		"not registered": {"node-q", "question", 0, `attempt 1 of 5 failed: PROGRAM was not run: "node-q" is not registered`},
		"disabled":       {"node-d", "question", 0, "given up after attempt 1: the sender is disabled or has an invalid name, and cannot receive an answer; PROGRAM was not run\n"},
		"a forged name":  {"node-b\nmesh: serving ends", "question", 0, `mesh: warning: message 2 from "node-b\nmesh: serving ends" stays unread`},
		"not known":      {"node-q", "question", http.StatusBadRequest, "run: 2 node-q question"},
		"no question":    {"node-q", "fyi", 0, "run: 2 node-q fyi"},
	} {
		g := withQuestion(t)
		synctest.Test(t, func(t *testing.T) {
			g.Disable("node-d", true)
			g.Store(c.from, "node-a", c.kind, "two")
			g.FailIf(func(r gatewaytest.Request) *gatewaytest.Fault {
				if r.Operation == gatewaytest.GetPeer && strings.HasSuffix(r.Path, c.from) && c.status != 0 {
					return &gatewaytest.Fault{Status: c.status}
				}
				return nil
			})
			o, errs := options(t, g, "silent")
			o.kinds = []string{allKinds}
			text := serveFor(t, o, errs)
			assert.Contains(t, text, c.want, name)
			assert.Equal(t, strings.HasPrefix(c.want, "run"), strings.Contains(text, "run: 2"), name)
		})
	}
}

// A gateway that's down at the start must not cost the node its URL and capabilities.
func TestRunWaitsForTheRegistration(t *testing.T) {
	t.Parallel()
	g := withQuestion(t)
	synctest.Test(t, func(t *testing.T) {
		o, errs := options(t, g, "silent")
		_, err := o.Client.Register(t.Context(), client.RegisterRequest{URL: "http://a.example", Capabilities: map[string]any{"role": "worker"}})
		require.NoError(t, err)
		g.Fail(gatewaytest.GetPeer, gatewaytest.Fault{Status: http.StatusServiceUnavailable, Times: 3})
		text := serveFor(t, o, errs)
		assert.Contains(t, text, "mesh: warning: GET /peers/node-a: status 503")
		assert.Contains(t, text, "run: 1 node-b question")
		peer, err := o.Client.GetPeer(t.Context(), "node-a")
		require.NoError(t, err)
		assert.Equal(t, "http://a.example", peer.GetURL())
		assert.Equal(t, map[string]any{"role": "worker"}, peer.Capabilities)
	})
}

// A failed delivery must not run the command again.
func TestRunsOnceInAnOutage(t *testing.T) {
	t.Parallel()
	g := withQuestion(t)
	synctest.Test(t, func(t *testing.T) {
		g.Fail(gatewaytest.SendMessage, gatewaytest.Fault{Status: http.StatusBadGateway, Times: 3})
		o, errs := options(t, g, "upper")
		text := serveFor(t, o, errs)
		assert.Contains(t, text, "message 1 from node-b: answer not delivered: ")
		assert.Contains(t, text, "mesh: message 1 from node-b: answered with message 2\n")
		assert.Equal(t, 1, strings.Count(text, "run: 1"))
	})
}

// Two serves for one node run the command once per question.
func TestRunsShareMessages(t *testing.T) {
	t.Parallel()
	g := withQuestion(t)
	synctest.Test(t, func(t *testing.T) {
		for range 11 {
			g.Store("node-b", "node-a", "question", "Is it green?")
		}
		logs := [2]string{}
		var serves sync.WaitGroup
		for i := range logs {
			o, errs := options(t, g, "upper")
			o.share = time.Minute
			serves.Go(func() { logs[i] = serveFor(t, o, errs) })
		}
		serves.Wait()
		assert.Equal(t, 12, strings.Count(logs[0], "run: ")+strings.Count(logs[1], "run: "))
		assert.NotEmpty(t, logs[0])
	})
}

func TestRunRefusesWrongFlags(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*Options){
		`Lease "-1s" must be 0 or at least 1ms`:               func(o *Options) { o.share = -time.Second },
		"--allow-rule 99 must be 1 to ":                       func(o *Options) { o.allowRules = []int{99} },
		"--url must be an http:// or https:// URL":            func(o *Options) { o.url = "a.example" },
		"the command starts with a variable; use env A=VALUE": func(o *Options) { o.Args = []string{"A=b"} },
	} {
		g := withQuestion(t)
		synctest.Test(t, func(t *testing.T) {
			o, _ := options(t, g, "upper")
			change(o)
			err := o.run(t.Context())
			require.ErrorContains(t, err, want)
			assert.Equal(t, exit.Usage, exit.Code(err), want)
		})
	}
}
