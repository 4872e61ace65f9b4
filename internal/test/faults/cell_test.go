package faults_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/discovery"
)

// cell is one fault played to one operation.
type cell struct {
	op     *operation
	fault  *fault
	want   outcome
	strict bool
	// again is set for the second try of a cell that had too little time.
	again bool

	front  *front
	others string
	log    journal

	// What came of it.
	value    any
	err      error
	took     time.Duration
	panicked string
	left     int // connections
	read     int // bytes of what was streamed

	mu       sync.Mutex
	failures []discovery.Failure // until the operation returned
	later    []discovery.Failure
	returned bool
}

// The timeouts of faults that nothing else ends, first and second try, and of all others.
const (
	impatient = 400 * time.Millisecond
	calmer    = 4 * time.Second
	patient   = 10 * time.Second
	// margin is what a loaded machine may need beyond.
	margin = 5 * time.Second
)

func (c *cell) timeout() time.Duration {
	switch {
	case c.again:
		return calmer
	case c.fault.hangs:
		return impatient
	}
	return patient
}

// play runs the operation, and leaves nothing behind.
func (c *cell) play(t *testing.T, tape []reply) {
	t.Helper()
	c.front = newFront(t, c.op, tape, c.fault)
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = c.proxy
	start := time.Now()
	if c.op.mesh != nil {
		c.callMesh(t, transport)
	} else {
		c.callDiscovery(t, &http.Client{Transport: transport})
	}
	c.took = time.Since(start)
	transport.CloseIdleConnections()
	c.left = c.front.close()
	c.read = c.front.took // nobody serves any more
}

// url is where the operation finds the server, or the host that only the proxy knows.
func (c *cell) url() string {
	scheme, host := "http", c.front.listener.Addr().String()
	if c.fault.https {
		scheme = "https"
	}
	if c.fault.proxied {
		host = "no-such-host.invalid"
	}
	return scheme + "://" + host
}

func (c *cell) proxy(r *http.Request) (*url.URL, error) {
	if !strings.HasSuffix(r.URL.Hostname(), ".invalid") {
		return nil, nil
	}
	return url.Parse("http://" + c.front.listener.Addr().String())
}

// callMesh uses the client's own transport, as nearly everybody does, unless a proxy is in the way.
func (c *cell) callMesh(t *testing.T, transport *http.Transport) {
	t.Helper()
	options := []client.Option{
		client.WithGatewayURL(c.url()), client.WithToken(token), client.WithTimeout(c.timeout()), client.WithLogger(c.log.logger()),
	}
	if c.fault.proxied {
		options = append(options, client.WithHTTPClient(&http.Client{Transport: transport}))
	}
	if c.fault.maxBytes > 0 {
		options = append(options, client.WithMaxResponseBytes(c.fault.maxBytes))
	}
	mesh, err := client.New("node-c", options...)
	require.NoError(t, err)
	defer func() { _ = mesh.Close() }()
	c.guarded(func() (any, error) { return c.op.mesh(t.Context(), mesh) })
}

func (c *cell) callDiscovery(t *testing.T, httpClient *http.Client) {
	t.Helper()
	options := append(pointTo(c.others), c.op.at(c.url())...)
	options = append(options, discovery.WithHTTPClient(httpClient), discovery.WithLogger(c.log.logger()), discovery.WithFailureHandler(c.note))
	if c.strict {
		options = append(options, discovery.WithStrictErrors())
	}
	if c.fault.maxBytes > 0 {
		options = append(options, discovery.WithMaxResponseBytes(c.fault.maxBytes))
	}
	ctx, cancel := t.Context(), context.CancelFunc(func() {})
	if c.op.byContext {
		ctx, cancel = context.WithTimeout(ctx, c.timeout())
	}
	defer cancel()
	asker := discovery.New(options...)
	c.guarded(func() (any, error) { return c.op.ask(ctx, asker, c.timeout()) })
}

// guarded calls, and notes a panic.
func (c *cell) guarded(call func() (any, error)) {
	defer func() {
		if p := recover(); p != nil {
			c.panicked = fmt.Sprintf("%v\n%s", p, debug.Stack())
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.returned = true
	}()
	c.value, c.err = call()
}

func (c *cell) note(f discovery.Failure) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.returned {
		c.later = append(c.later, f)
		return
	}
	c.failures = append(c.failures, f)
}

// journal is a log that can be written to by several at once.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

func (j *journal) logger() *slog.Logger {
	return slog.New(slog.NewJSONHandler(j, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

var silent = slog.New(slog.NewTextHandler(io.Discard, nil))
