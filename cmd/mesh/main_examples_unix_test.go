// Runs the examples in every command's help.

//go:build unix

package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/demo"
	"github.com/mesh-gateway/mesh-go/internal/test/whole"
)

// stands replaces what differs on a reader's machine: ports, a thread's id and a mirror.
func (k *kitchen) stands(line string) string {
	switch line {
	case "mesh gateway --token dev", "mesh providers":
		line += " --listen 127.0.0.1:0"
	}
	return strings.NewReplacer(":8788", ":0", "5c6ff0f4-6b5c-4b8e-9d5e-5f6a0b1c2d3e", k.thread, "https://mirror.example.com/mesh-go", "$MESH_PROVIDERS_URL/facts").Replace(line)
}

// finding lists examples that may exit with 1; some depend on the day.
var finding = map[string]bool{
	"mesh prices --stale 30d gpt-5.2":                              true,
	"mesh cost openai --last 7d --usage calls --html bill.html":    true,
	"mesh cost anthropic --last 1d --counted 12.5 --max-drift 2":   true,
	"mesh cost gemini --bill export.jsonl --usage calls":           true,
	"mesh retired gpt-4o claude-sonnet-5-5 --within 90d":           true,
	"mesh retired --scan --within 90d src config.yml":              true,
	"mesh retired --used calls":                                    true,
	"mesh retired - < models.txt":                                  true,
	"mesh usage calls --budget 100/month --fail-on budget,retired": true,
}

// endless lists examples that run until ^C; each prints a line first.
var endless = map[string]bool{
	"mesh meter --listen 127.0.0.1:8788 --log ~/calls --env ~/.mesh-meter.env": true,
	"mesh inbox --watch -o json": true, "mesh serve -- ./answer.sh": true, "mesh serve --workers 4 -- timeout 60 python3 agent.py": true,
	"mesh gateway --token dev": true, "mesh providers": true,
	"mesh gateway --listen 127.0.0.1:0 --peer node-b --token-out token": true, "mesh providers --listen 127.0.0.1:0 --fail 529": true,
}

func TestExamplesRun(t *testing.T) {
	t.Parallel()
	listed := slices.Concat(slices.Collect(maps.Keys(finding)), slices.Collect(maps.Keys(endless)))
	t.Run("help", func(t *testing.T) {
		for i, cmd := range everyCommand(t) {
			for line := range strings.Lines(cmd.Example) {
				listed = slices.DeleteFunc(listed, func(other string) bool { return other == strings.TrimSpace(line) })
			}
			if cmd.Example == "" || i%whole.Cases(1, 6) != 0 {
				continue
			}
			t.Run(strings.ReplaceAll(cmd.CommandPath(), " ", "_"), func(t *testing.T) {
				t.Parallel()
				k := newExampleKitchen(t, cmd.Example)
				switch cmd.Name() {
				case "ask":
					k.answers("node-b", "node-c", "node-d")
				case "update":
					k.env = append(k.env, "MESH_FACTS=") // it would be in use instead of what mesh update stores
				}
				for line := range strings.Lines(cmd.Example) {
					k.example(strings.TrimSpace(line))
				}
			})
		}
	})
	assert.Empty(t, listed, "these are no longer examples")
}

func (k *kitchen) example(line string) {
	k.t.Helper()
	text := k.stands(line)
	if endless[line] {
		text = "exec " + text
	}
	cmd := exec.CommandContext(k.t.Context(), "sh", "-c", text)
	cmd.Dir, cmd.Env = filepath.Join(k.folder, "here"), k.env
	out := newBuffer()
	cmd.Stdout, cmd.Stderr = out, out
	require.NoError(k.t, cmd.Start())
	late := time.AfterFunc(processTime, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	if endless[line] {
		require.True(k.t, out.await("\n"))
		require.NoError(k.t, cmd.Process.Signal(syscall.SIGINT))
	}
	_ = cmd.Wait()
	if status := cmd.ProcessState.ExitCode(); status != 1 || !finding[line] {
		assert.Zero(k.t, status, "%s\n%s", line, out)
	}
}

// demoFiles has the files that mesh demo writes, and all their calls in a compressed one.
var demoFiles = sync.OnceValues(func() (fs.FS, error) {
	dir, err := os.MkdirTemp("", "mesh-examples")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := demo.Play(context.Background(), io.Discard, dir, time.Now()); err != nil {
		return nil, err
	}
	files := fstest.MapFS{}
	var all bytes.Buffer
	w, _ := gzip.NewWriterLevel(&all, gzip.BestSpeed) // a valid level
	err = fs.WalkDir(os.DirFS(dir), "calls", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(dir, name))
		files[name] = &fstest.MapFile{Data: text, Mode: 0o600}
		_, failed := w.Write(text)
		return errors.Join(err, failed)
	})
	err = errors.Join(err, w.Close())
	files["calls.jsonl.gz"] = &fstest.MapFile{Data: all.Bytes(), Mode: 0o600}
	return files, err
})

// exampleFiles are files that examples name, below the home directory.
var exampleFiles = map[string]string{
	"here/question.txt": "Is the build green?\n", "here/report.txt": "All is well.\n", "here/models.txt": "gpt-4o\no1-mini\n",
	"here/src/agent.py": "model = 'o1-mini'\n", "here/config.yml": "model: gpt-5.2\n", "here/answer.sh": "#!/bin/sh\ncat\n",
	"here/export.jsonl": `{"service":{"id":"AEFD-7695-64FA"},"sku":{"id":"3","description":"Generate content output token count gemini 3 flash short output text"},` +
		`"usage_start_time":"DAY 23:00:00","cost":"2.7","currency":"USD"}` + "\n",
	"bin/python3": "#!/bin/sh\ncat\n", "bin/node": "#!/bin/sh\n", "bin/timeout": "#!/bin/sh\nshift\nexec \"$@\"\n",
	".mesh-token":        gatewayToken + "\n",
	"mesh/profiles.json": `{"profiles": {"work": {"node": "node-a", "gateway_url": "GATEWAY", "token_file": "../.mesh-token"}}}`,
}

// newExampleKitchen has the nodes, messages and files that examples name. It only adds
// calls and a repository if examples need them.
func newExampleKitchen(t *testing.T, examples string) *kitchen {
	t.Helper()
	k := newKitchen(t)
	for range 18 {
		k.g.Store("node-b", "node-a", "question", "Is the build green?")
	}
	c, err := client.New("node-a", k.g.Options()...)
	require.NoError(t, err)
	defer c.Close()
	thread, err := c.OpenThread(t.Context(), "builds")
	require.NoError(t, err)
	k.thread = thread.ID
	values := strings.NewReplacer("GATEWAY", k.g.URL, "DAY", time.Now().UTC().AddDate(0, 0, -2).Format(time.DateOnly))
	files := maps.Clone(exampleFiles)
	for name, file := range newerFiles() {
		files["mesh-go/discovery/facts/"+name] = string(file.Data)
	}
	for name, text := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(k.folder, name)), 0o700))
		k.write(name, values.Replace(text))
	}
	if strings.Contains(examples, "calls") {
		made, err := demoFiles()
		require.NoError(t, err)
		require.NoError(t, os.CopyFS(filepath.Join(k.folder, "here"), made))
	}
	k.env = append(k.env, "PATH="+filepath.Join(k.folder, "bin")+":"+os.Getenv("PATH"), "XDG_DATA_HOME="+k.folder, "ANTHROPIC_ADMIN_KEY=example", "XAI_API_KEY=example", "DEEPSEEK_API_KEY=example")
	if regexp.MustCompile(`git|mesh (scan|retired)`).MatchString(examples) {
		k.run("git init -q here && git -C here add src")
	}
	return k
}

// answers starts nodes that answer every question.
func (k *kitchen) answers(names ...string) {
	k.t.Helper()
	for _, name := range names {
		c, err := client.New(name, append(k.g.Options(), client.WithLogger(slog.New(slog.DiscardHandler)))...)
		require.NoError(k.t, err)
		_, err = c.Register(k.t.Context(), client.RegisterRequest{URL: "http://x"})
		require.NoError(k.t, err)
		ctx, end := context.WithCancel(k.t.Context())
		done := make(chan error, 1)
		go func() {
			done <- agent.Answer(ctx, c, func(context.Context, client.MeshMessage) (string, error) { return "Yes.", nil }, agent.AnswerOptions{ServeOptions: agent.ServeOptions{Interval: 50 * time.Millisecond}})
		}()
		k.t.Cleanup(func() { end(); <-done; c.Close() })
	}
}
