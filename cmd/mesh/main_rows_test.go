package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
)

func runAt(t *testing.T, url string, args ...string) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	a := &app.App{In: strings.NewReader(""), Out: &stdout, Errs: &stderr}
	code = run(t.Context(), a, append(args, "--node", "node-a", "--gateway-url", url))
	return code, stdout.String(), stderr.String()
}

func TestListsShowTheRowsBesideInvalidOnes(t *testing.T) {
	t.Parallel()
	message := func(id string) string {
		return `{"id":` + id + `,"from_node":"node-a","to_node":"node-a","kind":"question","content":"good","created_at":"2026-11-21T07:54:15+00:00"}`
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/peers" {
			_, _ = io.WriteString(w, `[{"name":"good"},{"name":"node-b","last_seen":7,"url":"canary"}]`)
			return
		}
		bad := strings.Repeat(`,{"id":9,"content":"canary"}`, 7)
		_, _ = io.WriteString(w, `[`+strings.Replace(message("7"), `"node-a"`, `"node-b"`, 1)+`,`+message("8")+bad+`]`)
	}))
	t.Cleanup(server.Close)
	for command, want := range map[string]string{
		"peers":   "mesh: warning: the row for node-b cannot be decoded: last_seen: got number, want string\n",
		"inbox":   strings.Repeat("mesh: warning: message 9 cannot be decoded: from_node: required field is missing\n", 5) + "mesh: warning: 2 more rows cannot be decoded\n",
		"sent":    strings.Repeat("mesh: warning: message 9 cannot be decoded: from_node: required field is missing\n", 5) + "mesh: warning: 2 more rows cannot be decoded\n",
		"pending": strings.Repeat("mesh: warning: message 9 cannot be decoded: from_node: required field is missing\n", 5) + "mesh: warning: 2 more rows cannot be decoded\n",
	} {
		code, out, errs := runAt(t, server.URL, command)
		assert.Equal(t, exit.Done, code, command)
		assert.Contains(t, out, "good", command)
		assert.Equal(t, want, errs, command)
		assert.NotContains(t, out+errs, "canary", command)
	}
	code, _, errs := runAt(t, server.URL, "send", "node-b", "fyi", "hello")
	assert.Equal(t, exit.Failed, code)
	assert.Contains(t, errs, "the row for node-b cannot be decoded")
	code, _, errs = runAt(t, server.URL, "read", "9")
	assert.Equal(t, exit.Failed, code)
	assert.Contains(t, errs, "message 9 cannot be decoded")
}

// The inbox is 34 MB as JSON, more than a response may have.
func TestInboxAboveTheSizeLimit(t *testing.T) {
	t.Parallel()
	g := gatewaytest.New(t, gatewaytest.WithPeers("node-a", "node-b"))
	for range 28 {
		g.Store("node-b", "node-a", "fyi", strings.Repeat("\x01", 200_000))
	}
	for range 24 {
		g.Store("node-b", "node-a", "fyi", "short")
	}
	g.Store("node-b", "node-a", "question", "the last")
	code, out, errs := runAt(t, g.URL, "inbox")
	assert.Equal(t, exit.Done, code, errs)
	assert.Contains(t, out, "the last")
	assert.Equal(t, 26, strings.Count(out, "\n"), "a header and 25 messages")
	assert.Equal(t, "mesh: warning: only the newest 25 messages fit into one response; mesh read ID prints an older one\n", errs)
}

// Another program has registered oversized capabilities under this name.
func TestRegisterReplacesCapabilitiesThatAreTooLarge(t *testing.T) {
	t.Parallel()
	g := gatewaytest.New(t, gatewaytest.WithPeers("node-b"))
	body := `{"name":"node-a","url":"http://a.example","capabilities":{"a":[` + strings.Repeat("0,", 600_000) + `0]}}`
	resp, err := http.Post(g.URL+"/peers/register", "application/json", strings.NewReader(body))
	assert.NoError(t, err)
	_ = resp.Body.Close()
	assert.Equal(t, http.StatusOK, resp.StatusCode)
	code, out, errs := runAt(t, g.URL, "register")
	assert.Equal(t, exit.Done, code, errs)
	assert.Equal(t, "node-a is registered at http://a.example\n", out)
	assert.Contains(t, errs, "dropped peer capabilities that are too large")
	code, out, errs = runAt(t, g.URL, "peer", "node-a")
	assert.Equal(t, exit.Done, code)
	assert.Contains(t, out, "{}")
	assert.Empty(t, errs)
}
