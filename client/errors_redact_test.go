package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent"
	"github.com/mesh-gateway/mesh-go/internal/test/redacted"
)

// TestNoExportedErrorShowsASecret passes secrets as every argument and has the gateway
// echo them in every field.
func TestNoExportedErrorShowsASecret(t *testing.T) {
	t.Parallel()
	seen := make(redacted.Coverage)
	for _, secret := range []string{
		"a.live.token-value-00",
		"alivetokenvalue00", // has the syntax of a node name
		key,
	} {
		for name, echo := range map[string]func(secret string) (status int, body string){
			"peers": func(string) (int, string) {
				return 200, `{"peers":[{"name":"node-a"},{"name":"node-b"}],"messages":[]}`
			},
			"refusal":    func(s string) (int, string) { return 401, s },
			"forbidden":  func(s string) (int, string) { return 403, fmt.Sprintf(`{"detail":%q}`, s) },
			"no peer":    func(s string) (int, string) { return 404, fmt.Sprintf(`{"detail":%q}`, s) },
			"validation": func(s string) (int, string) { return 422, fmt.Sprintf(`{"detail":[{"input":{%q:%q}}]}`, s, s) },
			"no JSON":    func(s string) (int, string) { return 200, s },
			"rows": func(s string) (int, string) {
				return 200, fmt.Sprintf(`{"peers":[{"name":"node-b"},{"name":%q,"enabled":"x"}],"messages":[{"id":1,%q:%q},{"id":2}],"threads":[{"thread_uuid":%q}],"status":"ok"}`, s, s, s, s)
			},
		} {
			synctest.Test(t, func(t *testing.T) {
				c := echoing(t, secret, echo)
				for call, err := range errorsWith(t.Context(), c, secret) {
					seen.Check(t, err, secret, name, call)
				}
			})
		}
	}
	seen.CheckTypes(t, ".")
}

// echoing returns a client whose gateway accepts messages and echoes secret. Its token is
// the secret, unless that's a provider's key.
func echoing(t *testing.T, secret string, echo func(string) (int, string)) *client.MeshClient {
	t.Helper()
	opts := []client.Option{client.WithAliases(map[string]string{"b": "node-b"}), quiet()}
	if secret != key {
		opts = append(opts, client.WithToken(secret))
	}
	return servingInMemory(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Request-Id", secret)
		status, body := echo(secret)
		switch {
		case r.Method == http.MethodPost && r.URL.Path == "/messages" && status == 200:
			body = fmt.Sprintf(`{"id":7,"from_node":%q,"to_node":%q,"kind":"question","content":%q,"created_at":%q,"status":%q,%q:%q}`, secret, secret, secret, secret, secret, secret, secret)
		case r.URL.Path == "/threads" && r.Method == http.MethodPost && status == 200:
			body = fmt.Sprintf(`{"thread_uuid":%q,"name":%q}`, secret, secret)
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}, opts...)
}

// errorsWith returns the errors from calls with secret as their arguments.
func errorsWith(ctx context.Context, c *client.MeshClient, secret string) map[string]error {
	errs := make(map[string]error)
	ctx, cancel := context.WithTimeoutCause(ctx, time.Minute, errors.New("the cause is "+secret))
	defer cancel()
	for name, call := range operations {
		if name != "Watch" { // waits for messages
			errs[name] = call(ctx, c)
		}
	}
	pasted := client.MeshMessage{ID: 7, FromNode: secret, ToNode: secret, Kind: client.Kind(secret), Content: &secret, CreatedAt: secret, ThreadID: &secret, RelatedTaskID: &secret}
	toB := pasted
	toB.FromNode, toB.ToNode = "", "node-b"
	_, errs["to"] = c.Send(ctx, client.SendRequest{To: secret, Kind: client.KindFYI, Content: "x"})
	_, errs["kind"] = c.Send(ctx, client.SendRequest{To: "node-b", Kind: client.Kind(secret), Content: "x"})
	_, errs["content"] = c.Send(ctx, client.SendRequest{To: "node-b", Kind: client.KindFYI, Content: secret})
	_, errs["extra"] = c.Send(ctx, client.SendRequest{To: "node-b", Kind: client.KindFYI, Content: "x", Extra: map[string]any{secret: secret}})
	_, errs["peer"] = c.GetPeer(ctx, secret)
	_, errs["reply"] = c.Reply(ctx, pasted, client.SendRequest{Content: "x"})
	_, errs["ask"] = agent.Ask(ctx, c, client.SendRequest{To: secret, Content: "x"})
	_, errs["ask kind"] = agent.Ask(ctx, c, client.SendRequest{To: "node-b", Content: "x", Kind: client.Kind(secret)})
	_, errs["ask thread"] = agent.Ask(ctx, c, client.SendRequest{To: "node-b", Content: "x", ThreadID: secret, RelatedTaskID: secret, SkipSecretCheck: true})
	errs["ask twice"] = last(agent.AskAll(ctx, c, []string{secret, secret}, client.SendRequest{Content: "x"}))
	errs["await"] = last(agent.Await(ctx, c, pasted))
	errs["await b"] = last(agent.Await(ctx, c, toB))
	_, errs["message"] = agent.GetMessage(ctx, c, 3)
	_, _, errs["thread"] = c.GetThread(ctx, secret, client.GetThreadOptions{})
	_, errs["open"] = c.OpenThread(ctx, secret)
	_, errs["fetch"] = c.Fetch(ctx, client.FetchOptions{Kind: client.Kind(secret), FromNode: secret})
	errs["do"] = c.Do(ctx, client.Request{Method: http.MethodGet, Path: "/" + secret}, nil)
	errs["method"] = c.Do(ctx, client.Request{Method: secret, Path: "/x"}, nil)
	errs["serve"] = agent.Serve(ctx, c, func(context.Context, client.MeshMessage) error { return nil },
		agent.ServeOptions{Kinds: []client.Kind{client.Kind(secret)}})
	_, errs["node"] = client.New(secret, client.WithToken(secret), client.WithGatewayURL(secret))
	_, errs["alias"] = client.New("node-a", client.WithToken(secret), client.WithGatewayURL("http://h"), client.WithAliases(map[string]string{"x": strings.ToUpper(secret)}))
	return errs
}
