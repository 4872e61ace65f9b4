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
)

// TestMatrix plays every fault to every operation. With -v it prints what became of each.
func TestMatrix(t *testing.T) {
	quietly(t)
	m := newMatrix(t)
	for _, keyed := range []bool{false, true} {
		if keyed {
			for name, key := range keys {
				t.Setenv(name, key)
			}
		}
		m.prepare(keyed)
		m.playAll(keyed)
	}
	assert.Zero(t, m.visits.Load(), "redirects that were followed")
	m.report()
}

// quietly keeps what net/http says of unsolicited bytes out of the output, and out of it what must not be there.
func quietly(t *testing.T) {
	t.Helper()
	var said bytes.Buffer
	log.SetOutput(&said)
	t.Cleanup(func() {
		log.SetOutput(os.Stderr)
		assert.NotContains(t, said.String(), mark)
	})
}

type matrix struct {
	t      *testing.T
	ops    []*operation
	faults []*fault
	tapes  map[*operation][]reply
	goods  map[*operation]any
	others string
	visits atomic.Int32

	mu    sync.Mutex
	seen  map[*fault]map[*operation]outcome
	nulls map[*operation][2]int // accepted and refused
	cells int
	wrong []string
}

func newMatrix(t *testing.T) *matrix {
	t.Helper()
	m := &matrix{
		t: t, ops: operations(), tapes: make(map[*operation][]reply), goods: make(map[*operation]any),
		seen: make(map[*fault]map[*operation]outcome), nulls: make(map[*operation][2]int),
	}
	others := newOthers()
	t.Cleanup(others.Close)
	m.others = others.URL
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { m.visits.Add(1) }))
	t.Cleanup(elsewhere.Close)
	encrypted := httptest.NewTLSServer(nil)
	encrypted.Close()
	unknown := func(conn net.Conn) { _ = tls.Server(conn, encrypted.TLS.Clone()).Handshake() }
	m.faults = slices.Concat(
		oddStatuses(), connectionFaults(), tlsFaults(unknown), proxyFaults(), lengthFaults(), largeFaults(), encodingFaults(), wrongBodies(),
		valueFaults(), redirects(elsewhere.URL), refusals(), echoes(), patience(),
	)
	for _, name := range sample {
		require.True(t, slices.ContainsFunc(m.faults, func(f *fault) bool { return f.name == name }), "sample: there is no fault %q", name)
	}
	return m
}

// prepare records good answers, and what each operation makes of them.
func (m *matrix) prepare(keyed bool) {
	m.t.Helper()
	for _, op := range m.ops {
		if op.keyed != keyed {
			continue
		}
		m.tapes[op] = op.record(m.t)
		c := m.cell(op, &fault{want: ok, status: 200}, false)
		c.play(m.t, m.tapes[op])
		m.goods[op] = c.value
		_, wrong := c.verify(c.value)
		require.Empty(m.t, wrong, op.name)
		require.True(m.t, op.empty == nil || !reflect.DeepEqual(op.empty, c.value), "%s: a good answer is not empty", op.name)
	}
}

func (m *matrix) cell(op *operation, f *fault, strict bool) *cell {
	return &cell{op: op, fault: f, want: op.wants(f), strict: strict, others: m.others}
}

// playAll plays the faults one after the other, each to all operations at once, and looks for goroutines in between.
func (m *matrix) playAll(keyed bool) {
	m.t.Helper()
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	before := runtime.NumGoroutine()
	for _, f := range m.faults {
		m.batch(f, m.cellsOf(f, keyed))
		m.noGoroutinesLeft(f.name, before)
	}
	m.playNulls(keyed)
	m.noGoroutinesLeft("null", before)
}

// cellsOf makes the cells of a fault: one for each operation, and one more with strict errors where they exist.
func (m *matrix) cellsOf(f *fault, keyed bool) []*cell {
	var cells []*cell
	for _, op := range m.ops {
		if op.keyed != keyed {
			continue
		}
		for _, strict := range []bool{false, true} {
			c := m.cell(op, f, strict)
			if !op.meets(f) {
				m.set(f, op, spared)
			} else if c.want == missing {
				m.set(f, op, missing)
			} else if !strict || op.ask != nil {
				cells = append(cells, c)
			}
		}
	}
	return cells
}

// batch plays cells side by side: all of them when they only wait, few when they are heavy.
func (m *matrix) batch(f *fault, cells []*cell) {
	workers := 8
	if f.heavy {
		workers = 2
	}
	if f.hangs {
		workers = len(cells)
	}
	queue := make(chan *cell)
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for c := range queue {
				m.play(c)
			}
		})
	}
	for _, c := range cells {
		queue <- c
	}
	close(queue)
	all.Wait()
}

func (m *matrix) play(c *cell) {
	c.play(m.t, m.tapes[c.op])
	seen, wrong := c.verify(m.goods[c.op])
	if len(wrong) > 0 && c.fault.hangs {
		// A loaded machine may not get as far as the fault before its time is up.
		c = m.cell(c.op, c.fault, c.strict)
		c.again = true
		c.play(m.t, m.tapes[c.op])
		seen, wrong = c.verify(m.goods[c.op])
	}
	if len(wrong) > 0 {
		seen = "!" + seen
	}
	m.set(c.fault, c.op, seen)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cells++
	for _, text := range wrong {
		m.wrong = append(m.wrong, fmt.Sprintf("%s / %s (strict %v): %s", c.op.name, c.fault.name, c.strict, text))
	}
}

// set notes what was seen; what was wrong once stays so.
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
	for deadline := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before; <-poll.C {
		if time.Now().After(deadline) {
			var stacks bytes.Buffer
			_ = pprof.Lookup("goroutine").WriteTo(&stacks, 1)
			m.wrong = append(m.wrong, fmt.Sprintf("%d goroutines left after %s:\n%s", runtime.NumGoroutine()-before, after, &stacks))
			return
		}
	}
}
