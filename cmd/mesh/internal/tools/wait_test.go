package tools_test

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/tools"
	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/internal/test/nettest"
	"github.com/mesh-gateway/mesh-go/scan"
)

// inbox is a gateway with empty inboxes.
func inbox(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"messages":[]}`) }

// connect returns node-a's client for an in-memory gateway.
func connect(t *testing.T, gateway http.HandlerFunc) *client.MeshClient {
	t.Helper()
	return connectAs(t, "node-a", gateway)
}

func connectAs(t *testing.T, name string, gateway http.HandlerFunc) *client.MeshClient {
	t.Helper()
	node, err := client.New(name, client.WithGatewayURL("http://gateway.test"), client.WithLogger(slog.New(slog.DiscardHandler)),
		client.WithHTTPClient(&http.Client{Transport: nettest.Pipe(t, gateway)}))
	require.NoError(t, err)
	t.Cleanup(func() { _ = node.Close() })
	return node
}

// wait calls mesh_wait and returns the result's text.
func wait(t *testing.T, gateway http.HandlerFunc, seconds int, opts *mcp.ClientOptions) (text string, failed bool) {
	t.Helper()
	params := &mcp.CallToolParams{Name: "mesh_wait", Arguments: map[string]any{"seconds": seconds}}
	params.SetProgressToken("wait-1")
	return call(t, gateway, params, opts)
}

// call calls a tool on an in-memory server and returns the result's text. It must run in
// a synctest bubble.
func call(t *testing.T, gateway http.HandlerFunc, params *mcp.CallToolParams, opts *mcp.ClientOptions) (text string, failed bool) {
	t.Helper()
	near, far := mcp.NewInMemoryTransports()
	server, err := tools.NewServer(connect(t, gateway), discovery.Default(), scan.New()).Connect(t.Context(), far, nil)
	require.NoError(t, err)
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, opts).Connect(t.Context(), near, nil)
	require.NoError(t, err)
	result, err := session.CallTool(t.Context(), params)
	require.NoError(t, err)
	require.NoError(t, session.Close())
	require.NoError(t, server.Wait())
	require.Len(t, result.Content, 1)
	return result.Content[0].(*mcp.TextContent).Text, result.IsError
}

func TestWaitEndsAfterItsTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		reports := make(chan *mcp.ProgressNotificationParams, 100)
		begin := time.Now()
		text, failed := wait(t, inbox, 60, &mcp.ClientOptions{
			ProgressNotificationHandler: func(_ context.Context, req *mcp.ProgressNotificationClientRequest) { reports <- req.Params },
		})
		assert.False(t, failed, text)
		assert.Contains(t, text, `"messages":[]`)
		assert.Equal(t, time.Minute, time.Since(begin))
		for second := 1.0; second < 60; second++ {
			report := <-reports
			assert.Equal(t, "wait-1", report.ProgressToken)
			assert.InDelta(t, second, report.Progress, 0)
			assert.InDelta(t, 60, report.Total, 0)
		}
	})
}

// A gateway that doesn't answer isn't an empty inbox.
func TestWaitReportsAFailure(t *testing.T) {
	t.Parallel()
	for want, gateway := range map[string]http.HandlerFunc{
		"GET /messages: no complete response within 10s": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"GET /messages: status 400":                      func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadRequest) },
	} {
		synctest.Test(t, func(t *testing.T) {
			text, failed := wait(t, gateway, 1, nil)
			assert.True(t, failed)
			assert.Contains(t, text, want)
		})
	}
}

// Even a wait shorter than a poll has a result.
func TestWaitOfASecondWithASlowGateway(t *testing.T) {
	t.Parallel()
	for want, rows := range map[string]string{`"messages":[]`: "", `"id":7`: waitedFor} {
		synctest.Test(t, func(t *testing.T) {
			text, failed := wait(t, func(w http.ResponseWriter, _ *http.Request) {
				time.Sleep(2 * time.Second)
				_, _ = io.WriteString(w, `{"messages":[`+rows+`]}`)
			}, 1, nil)
			assert.False(t, failed, text)
			assert.Contains(t, text, want)
		})
	}
}

const waitedFor = `{"id":7,"from_node":"node-c","to_node":"node-a","kind":"fyi","content":"x","created_at":"2026-11-21T07:54:15+00:00"}`

// A wait goes on while the gateway is down, and an inbox that's empty afterwards isn't an
// error.
func TestWaitSurvivesARestart(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		back   time.Duration
		rows   string
		want   string
		failed bool
	}{
		"a message after it": {20 * time.Second, waitedFor, `"id":7`, false},
		"empty after it":     {20 * time.Second, "", `"messages":[]`, false},
		"away at the end":    {time.Hour, "", "GET /messages: status 502", true},
	} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			text, failed := wait(t, func(w http.ResponseWriter, _ *http.Request) {
				switch away := time.Since(began); {
				case away < time.Second:
					inbox(w, nil)
				case away < c.back:
					w.WriteHeader(http.StatusBadGateway)
				default:
					_, _ = io.WriteString(w, `{"messages":[`+c.rows+`]}`)
				}
			}, 50, nil)
			assert.Equal(t, c.failed, failed, "%s: %s", name, text)
			assert.Contains(t, text, c.want, name)
		})
	}
}

func TestWaitSelectsMessages(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const thread = "3f0f8a53-0000-4000-8000-000000000000"
		text, failed := call(t, func(w http.ResponseWriter, r *http.Request) {
			assert.Contains(t, r.URL.RawQuery, "from=node-b&kind=answer&thread_id="+thread)
			_, _ = io.WriteString(w, `{"messages":[`+waitedFor+`]}`) // an older gateway ignores the parameters
		}, &mcp.CallToolParams{Name: "mesh_wait", Arguments: map[string]any{"seconds": 9, "from": "node-b", "kind": "answer", "thread": thread}}, nil)
		assert.False(t, failed, text)
		assert.Contains(t, text, `"messages":[]`)
	})
}

// A gateway that ignores the selected inbox must not cause another node's message to be
// marked.
func TestMarkReadOfAGatewayThatMixesInboxes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		text, failed := call(t, func(w http.ResponseWriter, r *http.Request) {
			assert.Equal(t, http.MethodGet, r.Method)
			_, _ = io.WriteString(w, `{"messages":[{"id":7,"from_node":"node-c","to_node":"node-b","kind":"fyi","content":"x","created_at":"2026-11-21T07:54:15+00:00"}]}`)
		}, &mcp.CallToolParams{Name: "mesh_mark_read", Arguments: map[string]any{"id": 7}}, nil)
		assert.True(t, failed)
		assert.Contains(t, text, "message 7 ")
	})
}

func TestCanceledWaitIsNoEmptyInbox(t *testing.T) {
	t.Parallel()
	for name, gateway := range map[string]http.HandlerFunc{
		"between two polls": inbox,
		"during a poll":     func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				near, far := net.Pipe()
				node := connect(t, gateway)
				session, err := tools.NewServer(node, discovery.Default(), scan.New()).Connect(t.Context(), &mcp.IOTransport{Reader: far, Writer: far}, nil)
				require.NoError(t, err)
				lines := bufio.NewReader(near)
				for _, message := range []string{
					`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
					`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
					`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"mesh_wait","arguments":{"seconds":60}}}`,
					`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`,
				} {
					_, err := io.WriteString(near, message+"\n")
					require.NoError(t, err)
					if strings.Contains(message, "initialize\"") {
						_, err := lines.ReadString('\n')
						require.NoError(t, err)
					}
					time.Sleep(time.Second + time.Millisecond)
				}
				answer, err := lines.ReadString('\n')
				require.NoError(t, err)
				assert.Contains(t, answer, `"text":"the wait was canceled"`)
				assert.Contains(t, answer, `"isError":true`)
				require.NoError(t, near.Close())
				_ = session.Wait()
			})
		})
	}
}
