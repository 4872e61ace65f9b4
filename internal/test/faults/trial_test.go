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

// trial runs an operation once, with a fault.
type trial struct {
	op     *operation
	fault  *fault
	want   outcome
	strict bool
	// again is set for a retry after an early timeout.
	again bool

	server *server
	others string
	log    logBuffer

	// The result.
	value    any
	err      error
	took     time.Duration
	panicked string
	left     int // connections
	read     int // bytes read from a stream

	mu       sync.Mutex
	failures []discovery.Failure // reported before the operation returned
	later    []discovery.Failure
	returned bool
}

// Faults that only a timeout ends get shortTimeout, then retryTimeout. All others get
// longTimeout; heavy ones then get longestTrial.
const (
	shortTimeout = 400 * time.Millisecond
	retryTimeout = 4 * time.Second
	longTimeout  = 10 * time.Second
	// margin is extra time for a loaded machine. With it, a trial that doesn't end by
	// itself still takes less than longestTrial.
	margin = 30 * time.Second
)

func (c *trial) timeout() time.Duration {
	switch {
	case c.again && c.fault.hangs:
		return retryTimeout
	case c.again:
		return longestTrial
	case c.fault.hangs:
		return shortTimeout
	}
	return longTimeout
}

// play closes everything that it opens.
func (c *trial) play(t *testing.T, replies []reply) {
	t.Helper()
	c.server = newServer(t, c.op, replies, c.fault)
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
	c.left, c.read = c.server.close()
}

// url is the server's, or the one behind the proxy.
func (c *trial) url() string {
	scheme, host := "http", c.server.listener.Addr().String()
	if c.fault.https {
		scheme = "https"
	}
	if c.fault.proxied {
		host = "no-such-host.invalid"
	}
	return scheme + "://" + host
}

func (c *trial) proxy(r *http.Request) (*url.URL, error) {
	if !strings.HasSuffix(r.URL.Hostname(), ".invalid") {
		return nil, nil
	}
	return url.Parse("http://" + c.server.listener.Addr().String())
}

// callMesh uses the client's own transport, unless there is a proxy.
func (c *trial) callMesh(t *testing.T, transport *http.Transport) {
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

func (c *trial) callDiscovery(t *testing.T, httpClient *http.Client) {
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
	d, err := discovery.New(options...)
	if err != nil {
		panic(err)
	}
	c.guarded(func() (any, error) { return c.op.discover(ctx, d, c.timeout()) })
}

// guarded records a panic.
func (c *trial) guarded(call func() (any, error)) {
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

func (c *trial) note(f discovery.Failure) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.returned {
		c.later = append(c.later, f)
		return
	}
	c.failures = append(c.failures, f)
}

type logBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *logBuffer) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *logBuffer) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

func (j *logBuffer) logger() *slog.Logger {
	return slog.New(slog.NewJSONHandler(j, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

var silent = slog.New(slog.NewTextHandler(io.Discard, nil))
