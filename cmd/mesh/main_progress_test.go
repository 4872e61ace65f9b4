package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/callsfiles"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/codebase"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
)

// slowReader returns text in parts up to 4 kB, one every 0.4 s.
type slowReader struct{ text string }

func (r *slowReader) Read(p []byte) (int, error) {
	time.Sleep(400 * time.Millisecond)
	if r.text == "" {
		return 0, io.EOF
	}
	n := copy(p, r.text[:min(4000, len(r.text))])
	r.text = r.text[n:]
	return n, nil
}

// A command shows how much stdin it has read, and removes that line before it prints.
func TestProgressOfStdin(t *testing.T) {
	t.Setenv("MESH_FACTS", "") // synctest starts in 2000, when today's facts aren't valid yet
	call := `{"provider":"openai","model":"gpt-5.2","time":"2026-11-21T07:54:15Z","usage":{"prompt_tokens":4,"completion_tokens":1,"total_tokens":5}}` + "\n"
	for line, content := range map[string]string{
		"usage -": call, "usage - -o focus": call, "usage - -o json": call, "scan": "text\n", "retired --used -": call,
		"cost gemini --bill -": "", "cost gemini --bill - --usage testdata": "", // invalid JSON
	} {
		t.Run(line, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var terminal bytes.Buffer
				content := strings.Repeat(content, 10_000/max(1, len(content))+1) + strings.Repeat(" ", 10_000)
				a := &app.App{In: &slowReader{content}, Out: &terminal, Errs: &terminal}
				a.Progress.W = &terminal
				run(t.Context(), a, strings.Fields(line))
				lines := strings.Split(terminal.String(), "\r\x1b[K")
				last := len(lines) - 1
				require.Greater(t, last, 1, terminal.String())
				assert.Regexp(t, `^reading stdin: \d+ kB, \d+ kB/s$`, lines[0])
				assert.NotContains(t, lines[last], "reading")
			})
		})
	}
}

func TestProgressOfFiles(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "calls.jsonl")
	require.NoError(t, os.WriteFile(file, bytes.Repeat([]byte("{}\n"), 4000), 0o600))
	for want, read := range map[string]func(a *app.App) error{
		"reading calls: 100 %, 12 of 12 kB, 12 kB/s": func(a *app.App) error {
			in, err := callsfiles.Open(a.In, []string{file}, false)
			_, _ = calls.Sum(calls.Options{OnRead: a.ReadingCalls("reading calls", in)}, in.Paths...)
			return err
		},
		"scanning: 100 %, 12 of 12 kB, 12 kB/s": func(a *app.App) error {
			s, err := codebase.NewSearch[int](a, &codebase.Flags{}, "scan")
			if err == nil {
				s.Files([]string{file}, false, func(string, string) []codebase.Match[int] { return nil })
			}
			return err
		},
		"reading the bill: 100 %, 12 of 12 kB, 12 kB/s": func(a *app.App) error {
			bill, err := os.Open(file)
			if err != nil {
				return err
			}
			defer bill.Close()
			_, err = io.Copy(io.Discard, a.ReadingFile("reading the bill", bill))
			time.Sleep(time.Second) // the file stays open during the read
			synctest.Wait()
			return err
		},
	} {
		t.Run(want, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var terminal bytes.Buffer
				a := &app.App{In: strings.NewReader("")}
				a.Progress.W = &terminal
				require.NoError(t, read(a))
				time.Sleep(time.Second)
				synctest.Wait()
				a.Progress.Stop()
				first, _, _ := strings.Cut(terminal.String(), "\r\x1b[K")
				assert.Equal(t, want, first)
			})
		})
	}
}
