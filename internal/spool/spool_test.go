package spool_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/gen/gateway"
	"github.com/mesh-gateway/mesh-go/internal/spool"
)

func TestAServerLoadsItsOwnAnswers(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	own, err := spool.Open(folder, "node-a http://gateway")
	require.NoError(t, err)
	other, err := spool.Open(folder, "node-b http://gateway")
	require.NoError(t, err)
	thread := "a thread"
	newer := gateway.MeshMessage{ID: 12, FromNode: "node-c", CreatedAt: "now", ThreadID: &thread}
	older := gateway.MeshMessage{ID: 9, FromNode: "node-c", CreatedAt: "then"}
	require.NoError(t, own.Save(newer, "second"))
	require.NoError(t, own.Save(older, "first"))
	require.NoError(t, other.Save(older, "other"))

	answers, err := own.Load()
	require.NoError(t, err)
	require.Len(t, answers, 2)
	assert.Equal(t, []string{"first", "second"}, []string{answers[0].Text, answers[1].Text})
	assert.Equal(t, newer, answers[1].Message())

	require.NoError(t, own.Remove(older))
	require.NoError(t, own.Remove(older), "already removed")
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	require.NoError(t, err)
	require.Len(t, files, 2)
	for _, file := range files {
		require.NoError(t, os.WriteFile(file, []byte("{"), 0o600))
	}
	_, err = own.Load()
	require.ErrorContains(t, err, "is not an answer")
}

func TestWithoutAFolderNothingIsLoaded(t *testing.T) {
	t.Parallel()
	s, err := spool.Open("", "node-a")
	require.NoError(t, err)
	answers, err := s.Load()
	require.NoError(t, err)
	assert.Empty(t, answers)
}
