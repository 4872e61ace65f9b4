package agent_test

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

// spoolOfChild is the directory for the process that TestAnAnswerSurvivesAKill kills.
const spoolOfChild = "MESH_TEST_SPOOL"

// TestAnAnswerSurvivesAKill kills a process with a finished answer that the gateway
// doesn't accept yet.
func TestAnAnswerSurvivesAKill(t *testing.T) {
	t.Parallel()
	if folder := os.Getenv(spoolOfChild); folder != "" {
		c := newClient(t, "node-a", client.WithGatewayURL(os.Getenv("GATEWAY_OF_CHILD")), client.WithToken(os.Getenv("TOKEN_OF_CHILD")))
		_ = agent.Answer(t.Context(), c, func(context.Context, client.MeshMessage) (string, error) { return "paid", nil }, agent.AnswerOptions{Spool: folder})
		return
	}
	g := gateway(t)
	asked := g.Store("node-b", "node-a", "question", "Is the build green?")
	sent := make(chan struct{}, 100)
	g.FailIf(func(r gatewaytest.Request) *gatewaytest.Fault {
		if r.Operation != gatewaytest.SendMessage {
			return nil
		}
		sent <- struct{}{}
		return &gatewaytest.Fault{Status: http.StatusBadGateway}
	})
	folder := filepath.Join(t.TempDir(), "spool")
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestAnAnswerSurvivesAKill$")
	child.Env = append(os.Environ(), spoolOfChild+"="+folder, "GATEWAY_OF_CHILD="+g.URL, "TOKEN_OF_CHILD="+token)
	require.NoError(t, child.Start())
	<-sent
	require.NoError(t, child.Process.Kill())
	_ = child.Wait() // it was killed
	assertPrivate(t, folder)

	g.Heal()
	c := connect(t, g, "node-a")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var answered client.MeshMessage
	require.NoError(t, agent.Answer(ctx, c, func(context.Context, client.MeshMessage) (string, error) {
		t.Error("the function is called again")
		return "", nil
	}, agent.AnswerOptions{Spool: folder, OnAnswer: func(m client.MeshMessage, _ *client.MeshMessage, err error) {
		assert.NoError(t, err)
		answered = m
		cancel()
	}}))
	assert.Equal(t, asked, answered.ID)
	files, err := os.ReadDir(folder)
	require.NoError(t, err)
	assert.Empty(t, files)
	inbox, err := connect(t, g, "node-b").Fetch(t.Context(), client.FetchOptions{})
	require.NoError(t, err)
	require.Len(t, inbox, 1)
	assert.Equal(t, "paid", inbox[0].GetContent())
	assert.Zero(t, unread(t, c), "the question is marked read")
}

// assertPrivate checks that a directory has one file, and that only the owner can read
// both.
func assertPrivate(t *testing.T, folder string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	text, err := os.ReadFile(files[0])
	require.NoError(t, err)
	assert.NotContains(t, string(text), "green", "the question")
	if runtime.GOOS == "windows" {
		return
	}
	for path, mode := range map[string]os.FileMode{folder: 0o700, files[0]: 0o600} {
		info, err := os.Stat(path)
		require.NoError(t, err)
		assert.Equal(t, mode, info.Mode().Perm(), path)
	}
}

// An answer not delivered when ctx ends is reported as lost or, with a spool, as kept. No
// file has a credential.
func TestAnAnswerInAnOutageIsKeptOrLost(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spool, answer string
		want          error
		files         int
	}{
		"in memory":       {"", "paid", agent.ErrAnswerLost, 0},
		"with a folder":   {"spool", "paid", agent.ErrAnswerKept, 1},
		"with credential": {"spool", key, nil, 0},
	} {
		g := gateway(t)
		g.Store("node-b", "node-a", "question", "Is the build green?")
		ctx, cancel := context.WithCancel(t.Context())
		g.FailIf(func(r gatewaytest.Request) *gatewaytest.Fault {
			if r.Operation != gatewaytest.SendMessage {
				return nil
			}
			cancel()
			return &gatewaytest.Fault{Status: http.StatusBadGateway}
		})
		folder := t.TempDir()
		if c.spool == "" {
			folder = ""
		}
		var reported error
		require.NoError(t, agent.Answer(ctx, connect(t, g, "node-a"), func(context.Context, client.MeshMessage) (string, error) { return c.answer, nil },
			agent.AnswerOptions{ServeOptions: agent.ServeOptions{OnError: func(_ client.MeshMessage, err error) { reported = err }}, Spool: folder}))
		cancel()
		if c.want != nil {
			require.ErrorIs(t, reported, c.want, name)
		}
		if folder != "" {
			files, err := os.ReadDir(folder)
			require.NoError(t, err)
			assert.Len(t, files, c.files, name)
		}
	}
}

// A kept answer's thread is missing in the new database, so no attempt would succeed.
func TestAKeptAnswerToALostMessageIsTriedOncePerStart(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		lost  bool
		sends int
		want  string
	}{
		"a new database":    {true, 1, "given up after attempt 1: the message is no longer visible in the inbox; the gateway may have a new database; its answer stays in FILE, to send or to remove: mesh: POST /messages: status 500"},
		"a passing failure": {false, 5, "given up after attempt 5: mesh: POST /messages: status 500"},
	} {
		before, after := gateway(t), gateway(t)
		thread, err := connect(t, before, "node-b").OpenThread(t.Context(), "builds")
		require.NoError(t, err)
		_, err = connect(t, before, "node-b").Send(t.Context(), client.SendRequest{To: "node-a", Kind: client.KindQuestion, Content: "Ready?", ThreadID: thread.ID})
		require.NoError(t, err)
		folder := t.TempDir()
		serve := func(g *gatewaytest.Gateway, status int) (errs []error, gaveUp int) {
			g.Fail(gatewaytest.SendMessage, gatewaytest.Fault{Status: status, Times: -1})
			synctest.Test(t, func(t *testing.T) {
				c, _ := worker(t, g)
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				var j journal
				require.NoError(t, agent.Answer(ctx, c, func(context.Context, client.MeshMessage) (string, error) { return "paid", nil }, agent.AnswerOptions{
					Spool:        folder,
					ServeOptions: agent.ServeOptions{OnError: j.onError, OnGiveUp: func(client.MeshMessage, error) bool { gaveUp++; return false }},
				}))
				errs = j.errors
			})
			return errs, gaveUp
		}
		serve(before, http.StatusBadGateway)
		files, err := filepath.Glob(filepath.Join(folder, "*"))
		require.NoError(t, err)
		require.Len(t, files, 1, name)

		next := before
		if before.Heal(); test.lost {
			next = after
		}
		for range 2 {
			sent := len(next.Requests(gatewaytest.SendMessage))
			errs, gaveUp := serve(next, http.StatusInternalServerError)
			require.Len(t, errs, 1, name)
			require.ErrorContains(t, errs[0], strings.Replace(test.want, "FILE", files[0], 1), name)
			assert.Equal(t, test.lost, gaveUp == 0, "%s: a lost message can't be marked", name)
			assert.Len(t, next.Requests(gatewaytest.SendMessage), sent+test.sends, name)
			assert.FileExists(t, files[0], name)
			next.Heal()
		}
	}
}

func TestTheFolderOfAnswersMustBeAFolder(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	err := agent.Answer(t.Context(), connect(t, gateway(t), "node-a"), func(context.Context, client.MeshMessage) (string, error) { return "", nil },
		agent.AnswerOptions{Spool: file})
	assert.Equal(t, "Spool", valueError(t, err).Field)
	assert.True(t, strings.HasPrefix(err.Error(), "mesh: Spool "), err.Error())
}
