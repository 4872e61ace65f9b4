package main

import (
	"context"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFirstComplaint(t *testing.T) {
	t.Parallel()
	for output, want := range map[string]string{
		"PASS\n": "",
		"":       "",
		"2026/11/21 a log line\n    --- FAIL: TestX/y (0.00s)\n--- FAIL: TestZ\n": "--- FAIL: TestX/y (0.00s)",
		"panic: test timed out after 10s\nrunning tests:\n":                       "panic: test timed out after 10s",
		"fatal error: all goroutines are asleep":                                  "fatal error: all goroutines are asleep",
		strings.Repeat("x", 1<<20) + "\n--- FAIL: TestBehindALongLine (0.00s)\n":  "--- FAIL: TestBehindALongLine (0.00s)",
	} {
		assert.Equal(t, want, firstComplaint(strings.NewReader(output)))
	}
}

func TestASuiteThatTakesTooLongHangs(t *testing.T) {
	t.Parallel()
	s := suite{path: "p"}
	o, err := s.outcome(t.Context(), "panic: test timed out after 10s", nil, 0)
	require.NoError(t, err)
	assert.True(t, o.hung)
	assert.Equal(t, "hangs in p panic: test timed out after 10s", o.String())
}

func TestASuiteThatEndsWithoutAWordIsCaught(t *testing.T) {
	t.Parallel()
	exit := exec.CommandContext(t.Context(), "go", "no-such-command").Run()
	o, err := (&suite{}).outcome(t.Context(), "", exit, 0)
	require.NoError(t, err)
	assert.True(t, o.caught)
	_, err = (&suite{}).outcome(t.Context(), "", exec.ErrNotFound, 0)
	require.ErrorIs(t, err, exec.ErrNotFound, "no test has run")
	o, err = (&suite{}).outcome(t.Context(), "", nil, 0)
	require.NoError(t, err)
	assert.Equal(t, "SURVIVED", o.String())
}

func TestAnInterruptedRunJudgesNothing(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{"read/read.go": readSource, "read/read_test.go": readTest})
	ctx, interrupt := context.WithCancel(t.Context())
	var out strings.Builder
	require.ErrorIs(t, run(ctx, dir, "", []string{"./read"}, &out, writer(interrupt)), context.Canceled)
	assert.Empty(t, out.String())
}

// writer is told of every write.
type writer func()

func (w writer) Write(text []byte) (int, error) {
	w()
	return len(text), nil
}
