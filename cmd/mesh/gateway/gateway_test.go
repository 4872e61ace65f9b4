package gateway

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
)

func TestRun(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	o := &options{App: &app.App{Out: &out, Errs: &out, Format: "json"}, addr: "127.0.0.1:0", token: "t", peers: []string{"node-b"}}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, run(ctx, o))
	assert.Regexp(t, `^\{"url":"http://127\.0\.0\.1:\d+/gateway"\}\n$`, out.String())
	o.peers = []string{"no/name"}
	assert.Equal(t, exit.Usage, exit.Code(run(ctx, o)))
	o.addr = "8787"
	require.ErrorContains(t, run(ctx, o), "--listen")
}
