package tools_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/tools"
	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/internal/test/pipe"
	"github.com/mesh-gateway/mesh-go/scan"
)

// inbox is a gateway whose inboxes are empty.
func inbox(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"messages":[]}`) }

// wait calls mesh_wait on a server in memory and returns the text of the result. The caller is in a bubble of testing/synctest.
func wait(t *testing.T, gateway http.HandlerFunc, seconds int, opts *mcp.ClientOptions) (text string, failed bool) {
	t.Helper()
	node, err := client.New("node-a", client.WithGatewayURL("http://gateway.test"), client.WithLogger(slog.New(slog.DiscardHandler)),
		client.WithHTTPClient(&http.Client{Transport: pipe.Transport(t, gateway)}))
	require.NoError(t, err)
	defer node.Close()
	near, far := mcp.NewInMemoryTransports()
	server, err := tools.NewServer(node, discovery.New(), scan.New()).Connect(t.Context(), far, nil)
	require.NoError(t, err)
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, opts).Connect(t.Context(), near, nil)
	require.NoError(t, err)
	params := &mcp.CallToolParams{Name: "mesh_wait", Arguments: map[string]any{"seconds": seconds}}
	params.SetProgressToken("wait-1")
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

// TestWaitReportsAFailure checks that a gateway that does not answer is no empty inbox.
func TestWaitReportsAFailure(t *testing.T) {
	t.Parallel()
	for want, gateway := range map[string]http.HandlerFunc{
		"GET /messages: context deadline exceeded": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"GET /messages: status 400":                func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadRequest) },
	} {
		synctest.Test(t, func(t *testing.T) {
			text, failed := wait(t, gateway, 1, nil)
			assert.True(t, failed)
			assert.Contains(t, text, want)
		})
	}
}
