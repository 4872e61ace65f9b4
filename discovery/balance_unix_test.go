//go:build unix

package discovery_test

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// Opening a pipe would block until another process writes to it.
func TestEnvFileThatIsAPipeIsNotOpened(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	t.Setenv("DEEPSEEK_LEGACY_ENV_PATH", pipe)
	s := balanceServer(balances(usd))
	b, err := s.inProcess().FetchDeepSeekBalance(t.Context(), discovery.BalanceOptions{})
	require.NoError(t, err)
	assert.Nil(t, b)
	requireOneFailure(t, s, discovery.ReasonMissingCredential)
}
