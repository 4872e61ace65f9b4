package sessions_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/sessions"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
)

// Skipping old files must not change what newer calls cost.
func TestOldFiles(t *testing.T) {
	t.Parallel()
	claude := func(id string) string {
		return strings.Replace(fmt.Sprintf(claudeText, "x"), "msg_1", id, 1)
	}
	for name, c := range map[string]struct {
		files map[string]string // those named old are old
		want  []string          // session, input, whether it's only in a total
	}{
		"unrelated": {map[string]string{"sessions/rollout-1-old.jsonl": codexFile(`"id":"p"`, 100), "sessions/rollout-2-f.jsonl": codexFile(`"id":"f"`, 7)}, []string{"f 7 false"}},
		"Codex fork": {map[string]string{
			"sessions/rollout-1-old-p.jsonl": codexFile(`"id":"p"`, 100), "sessions/rollout-2-f.jsonl": codexFile(`"id":"f","forked_from_id":"p"`, 100, 107),
		}, []string{"f 7 false", "p 100 false"}},
		"Claude Code agent": {map[string]string{
			"projects/a/s.jsonl": claude("msg_1") + stateLine("s", "claude-haiku-4-5", 20), "projects/a/s/subagents/agent-old.jsonl": claude("msg_2"),
		}, []string{"s 10 false", "s 10 false"}},
		"home below projects": {map[string]string{
			"projects/me/.claude/projects/a/s.jsonl": claude("msg_1"), "projects/me/.claude/projects/b/old.jsonl": claude("msg_2"),
		}, []string{"s 10 false"}},
		"old project": {map[string]string{"projects/a/s.jsonl": claude("msg_1"), "projects/b/old.jsonl": claude("msg_2")}, []string{"s 10 false"}},
	} {
		dir := writeFiles(t, c.files)
		now := time.Now()
		for file := range c.files {
			if strings.Contains(file, "old") {
				require.NoError(t, os.Chtimes(filepath.Join(dir, file), now, now.AddDate(0, 0, -9)))
			}
		}
		r := sessions.New(nil)
		r.Since = now.AddDate(0, 0, -1)
		var opts calls.Options
		r.Read(&opts)
		var got []string
		for one, err := range calls.Read(opts, dir) {
			require.NoError(t, err, name)
			counted, err := one.Count(nil, false)
			require.NoError(t, err, name)
			got = append(got, fmt.Sprint(one.Labels["session"], " ", counted.Counts.Input, " ", one.WithoutLine))
		}
		assert.ElementsMatch(t, c.want, got, name)
	}
}

// Without its parent, a fork's copies would count as new calls.
func TestOldFilesThatVanish(t *testing.T) {
	t.Parallel()
	dir := writeFiles(t, map[string]string{
		"sessions/rollout-1-p.jsonl": codexFile(`"id":"p"`, 100), "sessions/rollout-2-f.jsonl": codexFile(`"id":"f","forked_from_id":"p"`, 100, 107),
	})
	parent := filepath.Join(dir, "sessions/rollout-1-p.jsonl")
	now := time.Now()
	require.NoError(t, os.Chtimes(parent, now, now.AddDate(0, 0, -9)))
	for _, listens := range []bool{false, true} {
		r := sessions.New(nil)
		r.Since = now.AddDate(0, 0, -1)
		var errs []error
		if listens {
			r.OnError = func(err *calls.LineError) { errs = append(errs, err) }
		}
		opts := calls.Options{OnRead: func(int) { _ = os.Rename(parent, parent+".gone") }}
		r.Read(&opts)
		for _, err := range calls.Read(opts, filepath.Join(dir, "sessions")) {
			if err != nil {
				errs = append(errs, err)
				break
			}
		}
		require.Len(t, errs, 1)
		require.ErrorContains(t, errs[0], "rollout-1-p.jsonl:1: ")
		require.NoError(t, os.Rename(parent+".gone", parent))
	}
}
