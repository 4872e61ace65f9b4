package soak_test

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent"
	"github.com/mesh-gateway/mesh-go/internal/test/whole"
)

// shareLease is long enough that a busy server isn't taken for a killed one.
const shareLease = 6 * time.Second

// runServer is a server process that shares a node's questions. It prints each run and
// each answer.
func runServer(address, spool string) error {
	c, err := client.New(nodeName(0), client.WithGatewayURL("http://"+address), client.WithToken(token), client.WithTimeout(*leaseFlag),
		client.WithLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		return err
	}
	var printing sync.Mutex
	report := func(what string, m client.MeshMessage) {
		printing.Lock()
		defer printing.Unlock()
		fmt.Println(what, m.ID)
	}
	return agent.Answer(context.Background(), c, func(_ context.Context, m client.MeshMessage) (string, error) {
		report("run", m)
		time.Sleep(rand.N(*leaseFlag / 4))
		return "answer to " + m.GetContent(), nil
	}, agent.AnswerOptions{
		Spool: spool,
		ServeOptions: agent.ServeOptions{
			Workers: 2, Lease: *leaseFlag, Interval: 200 * time.Millisecond,
			OnError: func(client.MeshMessage, error) {},
		},
		OnAnswer: func(m client.MeshMessage, _ *client.MeshMessage, err error) {
			if err == nil {
				report("answered", m)
			}
		},
	})
}

// sharingServer is a server process as the test sees it.
type sharingServer struct {
	cmd   *exec.Cmd
	spool string
	ended chan struct{} // closed when the output ends

	mu       sync.Mutex
	runs     map[string]bool
	answered map[string]time.Time
	killed   time.Time
}

func startSharing(t *testing.T, address, spool string, lease time.Duration) *sharingServer {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	s := &sharingServer{cmd: exec.Command(self, "-serve", address, "-spool", spool, "-lease", lease.String()), spool: spool, ended: make(chan struct{}), runs: map[string]bool{}, answered: map[string]time.Time{}}
	s.cmd.Stderr = os.Stderr
	stdout, err := s.cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, s.cmd.Start())
	go func() {
		defer close(s.ended)
		for lines := bufio.NewScanner(stdout); lines.Scan(); {
			what, id, _ := strings.Cut(lines.Text(), " ")
			s.mu.Lock()
			if what == "run" {
				s.runs[id] = true
			} else {
				s.answered[id] = time.Now()
			}
			s.mu.Unlock()
		}
	}()
	t.Cleanup(func() { _ = s.cmd.Process.Kill(); <-s.ended; _ = s.cmd.Wait() })
	return s
}

// kill sends SIGKILL.
func (s *sharingServer) kill(t *testing.T) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.killed = time.Now()
	assert.NoError(t, s.cmd.Process.Kill())
}

// excused reports whether another server may run the message again, because this one was
// killed before it had answered and marked it.
func (s *sharingServer) excused(id string) bool {
	at, answered := s.answered[id]
	return !s.killed.IsZero() && (!answered || s.killed.Sub(at) < shareLease/2)
}

// Three servers for one node are killed and replaced, and the gateway disappears,
// sometimes longer than a lease and while claims are renewed. Every question gets one
// answer, and runs again only if its server was killed.
func TestServersShareMessagesOverKills(t *testing.T) {
	t.Parallel()
	if !whole.Tests() && *soakFor <= time.Second {
		return // it takes a minute
	}
	const questions, kills = 60, 6
	g := startGateway(t, 2, 1)
	g.endFaults(t)
	asker, err := client.New(nodeName(1), client.WithGatewayURL("http://"+g.address), client.WithToken(token))
	require.NoError(t, err)
	defer asker.Close()
	for i := range questions {
		_, err := asker.Send(t.Context(), client.SendRequest{To: nodeName(0), Kind: client.KindQuestion, Content: fmt.Sprint(i)})
		require.NoError(t, err)
	}
	all := []*sharingServer{startSharing(t, g.address, "", shareLease), startSharing(t, g.address, "", shareLease), startSharing(t, g.address, "", shareLease)}
	ctx, stop := context.WithTimeout(t.Context(), 5*time.Minute)
	defer stop()
	for i := range kills {
		pause(ctx, rand.N(shareLease/2))
		all[i].kill(t)
		all = append(all, startSharing(t, g.address, "", shareLease))
		pause(ctx, rand.N(shareLease/2))
		g.away(t, time.Duration(i%3)*shareLease*2/3+outage) // up to longer than a lease
	}
	var answers []client.MeshMessage
	for ctx.Err() == nil && len(answers) < questions {
		pause(ctx, 100*time.Millisecond)
		answers, err = asker.Fetch(ctx, client.FetchOptions{Limit: 1000})
		require.NoError(t, err)
	}
	assert.Len(t, answers, questions)
	for id := range questions {
		runs, excused := 0, 0
		for _, s := range all {
			s.mu.Lock()
			if id := fmt.Sprint(id + 1); s.runs[id] {
				runs++
				if s.excused(id) {
					excused++
				}
			}
			s.mu.Unlock()
		}
		assert.Positive(t, runs, "message %d", id+1)
		assert.LessOrEqual(t, runs-excused, 1, "message %d ran %d times", id+1, runs)
	}
}

// away stops the gateway but keeps its database.
func (p *process) away(t *testing.T, d time.Duration) {
	t.Helper()
	p.call(t, command{Name: stopServer}, &p.address)
	pause(t.Context(), d)
	p.call(t, command{Name: startServer}, &p.address)
}
