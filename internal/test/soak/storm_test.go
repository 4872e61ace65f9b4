package soak_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
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

type storm struct {
	t          *testing.T
	lease      time.Duration
	gateway    *process
	asker      *client.MeshClient
	live       [3]*sharingServer
	all        []*sharingServer
	unfinished map[string]int // question -> how often its server was killed while it ran

	mu   sync.Mutex
	took map[string]time.Duration // guarded by mu
}

// Three servers for one node share messages and keep answers in directories, while they
// and the gateway are killed in turn. A question runs twice only if its server was killed
// while it ran, and no file is left.
func TestServersKeepAnswersInAStorm(t *testing.T) {
	t.Parallel()
	questions, kills, lease := 20, 2, shareLease
	switch {
	case *soakFor > time.Second:
		questions, kills, lease = 200, 9, 20*time.Second
	case !whole.Tests():
		return // it takes half a minute
	}
	s := &storm{t: t, lease: lease, gateway: startGateway(t, 2, 1), unfinished: make(map[string]int), took: make(map[string]time.Duration)}
	s.gateway.endFaults(t)
	var err error
	s.asker, err = client.New(nodeName(1), client.WithGatewayURL("http://"+s.gateway.address), client.WithToken(token))
	require.NoError(t, err)
	defer s.asker.Close()
	for i := range s.live {
		s.live[i] = s.start(t.TempDir())
	}
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Minute)
	defer stop()
	var asking sync.WaitGroup
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for range kills {
			pause(ctx, rand.N(lease/2))
			s.kill(rand.IntN(len(s.live)))
			pause(ctx, rand.N(lease/2))
			s.gateway.away(t, rand.N(2*outage))
		}
	}()
	for i := range questions {
		asking.Go(func() { s.ask(ctx, i) })
		pause(ctx, time.Duration(kills)*lease/2/time.Duration(questions))
	}
	<-ended
	asking.Wait()
	s.check(questions)
	s.checkTimes()
}

func (s *storm) start(spool string) *sharingServer {
	started := startSharing(s.t, s.gateway.address, spool, s.lease)
	s.all = append(s.all, started)
	return started
}

// kill replaces a server with one that takes over its directory.
func (s *storm) kill(i int) {
	killed := s.live[i]
	killed.kill(s.t)
	<-killed.ended
	finished := fileNumbers(s.t, killed.spool)
	for id := range killed.runs {
		if _, answered := killed.answered[id]; !answered && !finished[id] {
			s.unfinished[id]++
		}
	}
	s.live[i] = s.start(killed.spool)
}

var answerFile = regexp.MustCompile(`-([0-9]+)-[0-9a-f]+\.json$`)

// fileNumbers returns the questions with an answer in the directory.
func fileNumbers(t *testing.T, folder string) map[string]bool {
	t.Helper()
	files, err := os.ReadDir(folder)
	assert.NoError(t, err)
	numbers := make(map[string]bool)
	for _, file := range files {
		if match := answerFile.FindStringSubmatch(filepath.Base(file.Name())); match != nil {
			numbers[match[1]] = true
		}
	}
	return numbers
}

// ask retries with the same key until the gateway has the question.
func (s *storm) ask(ctx context.Context, i int) {
	for began := time.Now(); ctx.Err() == nil; began = time.Now() {
		answer, err := agent.Ask(ctx, s.asker, client.SendRequest{To: nodeName(0), Content: fmt.Sprint("question ", i), IdempotencyKey: fmt.Sprint("storm-", i)})
		if err != nil {
			pause(ctx, outage/4)
			continue
		}
		assert.Equal(s.t, fmt.Sprint("answer to question ", i), strings.TrimSpace(answer.GetContent()))
		s.mu.Lock()
		s.took[fmt.Sprint("question ", i)] = time.Since(began)
		s.mu.Unlock()
		return
	}
	assert.Fail(s.t, "no answer", "question %d", i)
}

// checkTimes logs the slowest answer by how often a question's servers were killed. In a
// long storm, each kill may take two leases. In a short one, a busy machine may be
// slower.
func (s *storm) checkTimes() {
	sent, err := s.asker.Sent(s.t.Context(), client.SentOptions{Limit: 1000})
	require.NoError(s.t, err)
	slowest := make(map[int]time.Duration)
	for _, m := range sent {
		kills := s.unfinished[fmt.Sprint(m.ID)]
		slowest[kills] = max(slowest[kills], s.took[m.GetContent()])
	}
	s.t.Logf("the slowest answers by kills of servers that ran the question: %v; a lease is %v", slowest, s.lease)
	if *soakFor > time.Second {
		for kills, took := range slowest {
			assert.LessOrEqual(s.t, took, time.Duration(max(kills, 1))*2*s.lease, "%d kills", kills)
		}
	}
}

// check checks how often each question ran, and that no files are left.
func (s *storm) check(questions int) {
	t := s.t
	answers, err := s.asker.Fetch(t.Context(), client.FetchOptions{Limit: 1000})
	require.NoError(t, err)
	assert.Len(t, answers, questions)
	runs := make(map[string]int)
	for _, server := range s.all {
		server.mu.Lock()
		for id := range server.runs {
			runs[id]++
		}
		server.mu.Unlock()
	}
	assert.Len(t, runs, questions)
	for id, n := range runs {
		assert.LessOrEqual(t, n, 1+s.unfinished[id], "question %s", id)
	}
	for _, server := range s.live {
		for deadline := time.Now().Add(time.Minute); len(fileNumbers(t, server.spool)) > 0 && time.Now().Before(deadline); {
			pause(t.Context(), 10*time.Millisecond)
		}
		assert.Empty(t, fileNumbers(t, server.spool), "files are left")
	}
}
