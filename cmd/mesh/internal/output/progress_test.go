package output_test

import (
	"bytes"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
)

func TestProgress(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		takes time.Duration
		want  string
	}{
		"an answer within a second":   {900 * time.Millisecond, ""},
		"an answer after two seconds": {2 * time.Second, "waiting for a response …\r\x1b[K"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var terminal bytes.Buffer
				p := output.Progress{W: &terminal}
				p.Start()
				p.Start()
				time.Sleep(test.takes)
				synctest.Wait()
				p.Stop()
				p.Stop()
				time.Sleep(time.Minute)
				synctest.Wait()
				assert.Equal(t, test.want, terminal.String())
			})
		})
	}
	var p output.Progress
	p.Start()
	p.Stop()
}

func TestProgressOfAWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var terminal bytes.Buffer
		p, begin := output.Progress{W: &terminal}, time.Now()
		p.Waiting(func() string { return "waiting for node-b, " + time.Since(begin).Truncate(time.Second).String() })
		time.Sleep(2500 * time.Millisecond)
		synctest.Wait()
		p.Stop()
		assert.Equal(t, "waiting for node-b, 1s"+clearLine+"waiting for node-b, 2s"+clearLine, terminal.String())
	})
}

const clearLine = "\r\x1b[K"

// screen is a terminal that can be read while the line is drawn.
type screen struct {
	mu   sync.Mutex
	text []byte
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text = append(s.text, p...)
	return len(p), nil
}

// after waits, and returns the text written since the last call.
func (s *screen) after(wait time.Duration) string {
	time.Sleep(wait)
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	text := string(s.text)
	s.text = nil
	return text
}

func TestProgressOfReading(t *testing.T) {
	t.Parallel()
	for want, test := range map[string]struct {
		size, read int64
	}{
		"reading calls: 11 %, 0.3 of 2.8 GB, 310 MB/s":  {2_800_000_000, 310_000_000},
		"reading calls: 100 %, 2.8 of 2.8 GB, 2.8 GB/s": {2_800_000_000, 2_800_000_000},
		"reading calls: 0 %, 0 of 12 MB":                {12_000_000, 0},
		"reading calls: 0 %, 0.0 of 5.0 TB, 1 kB/s":     {5_000_000_000_000, 1000},
		"reading calls: 2 MB, 2 MB/s":                   {1_000_000, 2_000_000}, // the file grew
		"":                                              {0, 0},                 // nothing came from stdin yet
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var terminal screen
				p := output.Progress{W: &terminal}
				p.Reading("reading calls", func() int64 { return test.size }, func() int64 { return test.read })
				assert.Empty(t, terminal.after(time.Second-1))
				assert.Equal(t, want, terminal.after(1))
				p.Stop()
				removed := clearLine
				if want == "" {
					removed = ""
				}
				assert.Equal(t, removed, terminal.after(time.Minute))
			})
		})
	}
}

// The line is drawn five times a second, each text replaces the one before, and the size
// is computed once.
func TestProgressMoves(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var terminal screen
		var read atomic.Int64
		p := output.Progress{W: &terminal}
		p.Start()
		assert.Equal(t, "waiting for a response …", terminal.after(2*time.Second))
		sizes := 0
		p.Reading("reading calls", func() int64 { sizes++; return 8e9 }, read.Load)
		read.Store(1e8)
		assert.Equal(t, clearLine+"reading calls: 1 %, 0.1 of 8.0 GB, 500 MB/s", terminal.after(200*time.Millisecond))
		read.Store(4e9)
		assert.Empty(t, terminal.after(199*time.Millisecond))
		assert.Equal(t, clearLine+"reading calls: 50 %, 4.0 of 8.0 GB, 10.0 GB/s", terminal.after(time.Millisecond))
		assert.Equal(t, 1, sizes)
		p.Reading("reading more", nil, read.Load)
		assert.Equal(t, clearLine+"reading more: 4.0 GB, 20.0 GB/s", terminal.after(200*time.Millisecond))
		p.Start()
		assert.Equal(t, clearLine+"waiting for a response …", terminal.after(time.Minute))
		p.Stop()
		assert.Equal(t, clearLine, terminal.after(time.Minute))
	})
}

// Stop must not wait for file sizes, and no line may follow it.
func TestProgressStopsWhileSizesAreRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var terminal screen
		p := output.Progress{W: &terminal}
		sized := make(chan struct{})
		p.Reading("reading calls", func() int64 { <-sized; return 1 }, func() int64 { return 1 })
		time.Sleep(2 * time.Second)
		p.Stop()
		close(sized)
		assert.Empty(t, terminal.after(time.Minute))
	})
}
