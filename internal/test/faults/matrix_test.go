package faults_test

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/internal/test/whole"
)

// TestMatrix runs the faults against the operations. With -v it prints the outcomes.
func TestMatrix(t *testing.T) {
	captureLog(t)
	m := newMatrix(t)
	for _, keyed := range []bool{false, true} {
		if keyed {
			for name, key := range keys {
				t.Setenv(name, key)
			}
		}
		m.prepare(keyed)
		m.runAll(keyed)
	}
	assert.Zero(t, m.visits.Load(), "followed redirects")
	m.report()
}

// captureLog checks the net/http log for credentials: net/http logs unsolicited bytes.
func captureLog(t *testing.T) {
	t.Helper()
	var logged bytes.Buffer
	log.SetOutput(&logged)
	t.Cleanup(func() {
		log.SetOutput(os.Stderr)
		assert.NotContains(t, logged.String(), mark)
	})
}

type matrix struct {
	t         *testing.T
	ops       []*operation
	faults    []*fault
	responses map[*operation][]reply
	results   map[*operation]any
	others    string
	visits    atomic.Int32

	mu     sync.Mutex
	seen   map[*fault]map[*operation]outcome
	nulls  map[*operation][2]int // places where null is accepted and refused
	trials int
	wrong  []string
}

func newMatrix(t *testing.T) *matrix {
	t.Helper()
	m := &matrix{
		t: t, ops: operations(), responses: make(map[*operation][]reply), results: make(map[*operation]any),
		seen: make(map[*fault]map[*operation]outcome), nulls: make(map[*operation][2]int),
	}
	others := newOthers()
	t.Cleanup(others.Close)
	m.others = others.URL
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { m.visits.Add(1) }))
	t.Cleanup(elsewhere.Close)
	encrypted := httptest.NewTLSServer(nil)
	encrypted.Close()
	gzipBomb() // slow, so build it before any trial
	unknown := func(conn net.Conn) { _ = tls.Server(conn, encrypted.TLS.Clone()).Handshake() }
	m.faults = slices.Concat(
		unusualStatuses(), connectionFaults(), tlsFaults(unknown), proxyFaults(), lengthFaults(), largeFaults(), encodingFaults(), wrongBodies(),
		valueFaults(), redirects(elsewhere.URL), errorStatuses(), echoFaults(), stallFaults(), retryAfterFaults(),
	)
	for _, name := range sample {
		require.True(t, slices.ContainsFunc(m.faults, func(f *fault) bool { return f.name == name }), "sample: no fault %q", name)
	}
	if !whole.Tests() {
		m.faults = sampled(m.faults)
	}
	return m
}

// sampled returns the sample and every twelfth other fault.
func sampled(faults []*fault) (list []*fault) {
	for i, f := range faults {
		if i%12 == 0 || slices.Contains(sample, f.name) {
			list = append(list, f)
		}
	}
	return list
}

// prepare records each operation's good responses, and its result with them.
func (m *matrix) prepare(keyed bool) {
	m.t.Helper()
	for _, op := range m.ops {
		if op.keyed != keyed {
			continue
		}
		m.responses[op] = op.record(m.t)
		c := m.trial(op, &fault{want: ok, status: 200}, false)
		c.play(m.t, m.responses[op])
		m.results[op] = c.value
		if op.mesh != nil && op.empty == nil {
			op.learn(c)
		}
		_, wrong := c.verify(c.value)
		require.Empty(m.t, wrong, op.name)
		require.True(m.t, op.empty == nil || !reflect.DeepEqual(op.empty, c.value), "%s: a good response must not be empty", op.name)
	}
}

func (m *matrix) trial(op *operation, f *fault, strict bool) *trial {
	return &trial{op: op, fault: f, want: op.wants(f), strict: strict, others: m.others}
}

// runAll runs faults one by one, each against all operations at once, and looks for
// leaked goroutines after each.
func (m *matrix) runAll(keyed bool) {
	m.t.Helper()
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	before := runtime.NumGoroutine()
	for _, f := range m.faults {
		m.batch(f, m.trialsOf(f, keyed))
		m.noGoroutinesLeft(f.name, before)
	}
	m.runNulls(keyed)
	m.noGoroutinesLeft("null", before)
}

// trialsOf returns a fault's trials: one per operation, and in discovery another with
// strict errors, except under the race detector.
func (m *matrix) trialsOf(f *fault, keyed bool) []*trial {
	var trials []*trial
	for _, op := range m.ops {
		if op.keyed != keyed {
			continue
		}
		for _, strict := range []bool{false, true}[:whole.Cases(2, 1)] {
			c := m.trial(op, f, strict)
			if !op.meets(f) {
				m.set(f, op, notSampled)
			} else if c.want == missing {
				m.set(f, op, missing)
			} else if !strict || op.discover != nil {
				trials = append(trials, c)
			}
		}
	}
	return trials
}

// batch runs trials concurrently: all if they only wait, few if they are heavy.
func (m *matrix) batch(f *fault, trials []*trial) {
	workers := 8
	if f.heavy {
		workers = 2
	}
	if f.hangs {
		workers = len(trials)
	}
	queue := make(chan *trial)
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for c := range queue {
				m.play(c)
			}
		})
	}
	for _, c := range trials {
		queue <- c
	}
	close(queue)
	all.Wait()
}

func (m *matrix) play(c *trial) {
	c.play(m.t, m.responses[c.op])
	seen, wrong := c.verify(m.results[c.op])
	if len(wrong) > 0 && (c.fault.hangs || c.fault.heavy) {
		// A loaded machine may hit the timeout before the fault, or before a long body
		// ends.
		c = m.trial(c.op, c.fault, c.strict)
		c.again = true
		c.play(m.t, m.responses[c.op])
		seen, wrong = c.verify(m.results[c.op])
	}
	if len(wrong) > 0 {
		seen = "!" + seen
	}
	m.set(c.fault, c.op, seen)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.trials++
	for _, text := range wrong {
		m.wrong = append(m.wrong, fmt.Sprintf("%s / %s (strict %v): %s", c.op.name, c.fault.name, c.strict, text))
	}
}

// set keeps a wrong outcome if one is already recorded.
func (m *matrix) set(f *fault, op *operation, seen outcome) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.seen[f] == nil {
		m.seen[f] = make(map[*operation]outcome)
	}
	if !strings.HasPrefix(string(m.seen[f][op]), "!") {
		m.seen[f][op] = seen
	}
}

func (m *matrix) noGoroutinesLeft(after string, before int) {
	m.t.Helper()
	poll := time.NewTicker(time.Millisecond)
	defer poll.Stop()
	for deadline := time.Now().Add(margin); runtime.NumGoroutine() > before; <-poll.C {
		if time.Now().After(deadline) {
			var stacks bytes.Buffer
			_ = pprof.Lookup("goroutine").WriteTo(&stacks, 1)
			m.wrong = append(m.wrong, fmt.Sprintf("%d goroutines left after %s:\n%s", runtime.NumGoroutine()-before, after, &stacks))
			return
		}
	}
}
