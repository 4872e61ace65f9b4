package client_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
	"github.com/mesh-gateway/mesh-go/internal/test/nettest"
	"github.com/mesh-gateway/mesh-go/scan"
)

func TestCustomScannerRedactsErrors(t *testing.T) {
	t.Parallel()
	live := strings.Repeat("custom-live-", 3)
	c := answering(t, 400, "text/plain", "you sent "+live, client.WithScanner(scan.New(scan.WithLiveToken(live))))
	_, err := c.ListPeers(t.Context())
	assert.NotContains(t, shown(err), live)
	require.ErrorContains(t, err, "[REDACTED:live-gateway-token]")
}

func TestTokenOfTheEnvironmentIsRedacted(t *testing.T) {
	live := "another.token/of.the.environment"
	t.Setenv("MESH_GATEWAY_TOKEN", live)
	for _, echo := range []string{live, strings.ReplaceAll(live, "/", "%2F"), live[:20]} {
		_, err := answering(t, 400, "text/plain", "you sent "+echo).ListPeers(t.Context())
		require.ErrorContains(t, err, "you sent [REDACTED]")
		assert.NotContains(t, shown(err), echo)
	}
}

// shown formats an error in every way that a program may print it.
func shown(err error) string {
	var out strings.Builder
	logger := slog.New(slog.NewJSONHandler(&out, nil))
	for e := err; e != nil; e = errors.Unwrap(e) {
		fmt.Fprintf(&out, "%v %+v %#v %s %q\n", e, e, e, e, e)
		logger.Error("failed", "error", e)
	}
	var failed *client.MeshGatewayError
	if errors.As(err, &failed) {
		fmt.Fprintf(&out, "%+v %#v %s", *failed, *failed, failed.Body)
	}
	return out.String()
}

func TestNoErrorShowsATokenThatTheGatewayEchoes(t *testing.T) {
	t.Parallel()
	for _, status := range []int{200, 302, 400, 401, 403, 422, 500} {
		for name, echo := range map[string]func(string) string{
			"plain":                 func(s string) string { return "bad token " + s },
			"authorization":         func(s string) string { return `{"headers":{"authorization":"Bearer ` + s + `"}}` },
			"at the cut":            func(s string) string { return long("x ", 246) + s },
			"at the cut of garbage": func(s string) string { return "<" + long("x ", 95) + s },
			"query":                 url.QueryEscape,
			"in json":               func(s string) string { return fmt.Sprintf("%q", s) },
			"field name":            func(s string) string { return fmt.Sprintf(`{"peers":[{%q:}]}`, s) },
			"peer token":            func(s string) string { return `{"status":"registered","peer_token":"` + s + `","nam` },
			"spaced peer token":     func(s string) string { return `{"peer_token" : "` + s + `"}` },
		} {
			synctest.Test(t, func(t *testing.T) {
				c := servingInMemory(t, func(w http.ResponseWriter, r *http.Request) {
					w.WriteHeader(status)
					_, _ = w.Write([]byte(echo(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))))
				}, client.WithToken(token))
				for operation, call := range operations {
					if status == 200 && (operation == "Health" || operation == "MarkRead") {
						continue // every body is valid
					}
					err := call(t.Context(), c)
					require.Error(t, err, "%s %d %s", operation, status, name)
					assert.NotContains(t, shown(err), token[:12], "%s %d %s", operation, status, name)
				}
			})
		}
	}
}

func TestNoErrorShowsThePeerTokenOfARegistration(t *testing.T) {
	t.Parallel()
	minted := "EXAMPLE-" + long("z9", 10)
	for _, body := range []string{
		`{"status":"registered","peer_token":"` + minted + `"}`,
		`{"name":7,"peer_token":"` + minted + `"}`,
		`{'peer_token': '` + minted + `'`,
		`peer_token=` + minted,
		`{"name":"node-a","peer_token":{"value":"` + minted + `"}}`,
		`{"name":"node-a","peer_token":["` + minted + `"]}`,
	} {
		for _, status := range []int{200, 500} {
			_, err := answering(t, status, "application/json", body).Register(t.Context(), client.RegisterRequest{})
			require.Error(t, err)
			assert.NotContains(t, shown(err), minted, body)
			assert.Contains(t, shown(err), "[REDACTED]")
		}
	}
}

func TestNoErrorShowsACredentialThatA422Echoes(t *testing.T) {
	t.Parallel()
	c := answering(t, 422, "application/json", `{"detail":[{"type":"x","loc":["body"],"msg":"no","input":{"content":"use `+key+` please"}}]}`)
	_, err := c.Register(t.Context(), client.RegisterRequest{URL: "http://x"})
	assert.NotContains(t, shown(err), key)
	assert.Contains(t, err.Error(), "[REDACTED:anthropic-api-key]")
}

// A custom transport may put the request into its error.
func TestNoErrorShowsATokenFromTheTransport(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newClient(t, "node-a", client.WithGatewayURL("http://gateway"), client.WithToken(token),
			client.WithHTTPClient(&http.Client{Transport: nettest.Call(func(_ http.ResponseWriter, r *http.Request) {
				panic(fmt.Errorf("dump of the request: %v: %w", r.Header, errNetwork))
			})}))
		for operation, call := range operations {
			err := call(t.Context(), c)
			assert.NotContains(t, shown(err), token, operation)
			require.ErrorIs(t, err, errNetwork, "errors.Is finds the cause")
		}
	})
}

func TestNoErrorShowsATokenOfAnEarlierAttempt(t *testing.T) {
	t.Parallel()
	s := &script{answers: []http.HandlerFunc{
		func(_ http.ResponseWriter, r *http.Request) { panic(fmt.Errorf("dump of the request: %v", r.Header)) },
		answer(400, "application/json", "{}"),
	}}
	c := inProcess(t, s.handle, client.WithToken(token), client.WithRetry(client.RetryPolicy{BaseDelay: 1}))
	_, err := c.Send(t.Context(), hello("node-b"))
	require.ErrorContains(t, err, "an earlier attempt failed: dump of the request")
	assert.NotContains(t, shown(err), token)
}

func TestNoLogLineShowsATokenOrContent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		c := servingInMemory(t, func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(503)
			_, _ = w.Write([]byte(r.Header.Get("Authorization")))
		}, client.WithRetry(client.RetryPolicy{BaseDelay: 1}),
			client.WithLogger(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))))
		for _, call := range operations {
			_ = call(t.Context(), c)
		}
		assert.Contains(t, log.String(), "repeating a request")
		assert.NotContains(t, log.String(), token)
		assert.NotContains(t, log.String(), base64.StdEncoding.EncodeToString([]byte(token)))
		assert.NotContains(t, log.String(), "hello")
	})
}

// An option contains the token until New runs.
func TestPrintedOptionShowsNoToken(t *testing.T) {
	t.Parallel()
	option := client.WithToken(token)
	assert.NotContains(t, fmt.Sprintf("%v %+v %#v", option, option, option), token)
}

// A connection's buffers hold the last request.
func TestDifferenceOfClientsShowsNoToken(t *testing.T) {
	t.Parallel()
	g := gateway(t, gatewaytest.WithToken(longToken))
	c := connect(t, g, "node-a")
	_, err := c.ListPeers(t.Context())
	require.NoError(t, err)
	var f failures
	assert.Equal(&f, c, connect(t, g, "node-b"))
	require.NotEmpty(t, f.text)
	assertNoPart(t, f.text)
}

// A user may paste a token where a name belongs.
func TestTokenPassedAsANameIsNotShown(t *testing.T) {
	t.Parallel()
	for _, pasted := range []string{"a.live.token-value-00", "alivetokenvalue00"} { // the second has the syntax of a node name
		g := gatewaytest.New(t, gatewaytest.WithToken(pasted), gatewaytest.WithPeers("node-b"))
		var log strings.Builder
		c := connect(t, g, strings.ToUpper(pasted[:1])+pasted[1:], client.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
		for _, req := range []client.SendRequest{
			{To: pasted, Kind: client.KindFYI, Content: "x"}, {To: "node-b", Kind: client.Kind(pasted), Content: "x"},
		} {
			_, err := c.Send(t.Context(), req)
			require.Error(t, err)
			assert.NotContains(t, shown(err), pasted)
		}
		_, err := client.New(pasted, client.WithToken(pasted), client.WithGatewayURL("http://h"),
			client.WithAliases(map[string]string{"x": pasted + "!"}), client.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
		require.Error(t, err)
		assert.NotContains(t, shown(err)+log.String(), pasted)
	}
	c := newClient(t, "node-a", client.WithGatewayURL("http://h/"+token), client.WithToken(token))
	assert.NotContains(t, fmt.Sprintf("%v %+v %#v", c, c, c), token)
}

func TestTokenCutAtTheEndOfALongBodyIsNotShown(t *testing.T) {
	t.Parallel()
	huge := long("t0ken/", 400)
	c := serving(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(401)
		for range 40 {
			_, _ = fmt.Fprint(w, strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
		}
	}, client.WithToken(huge))
	_, err := c.ListPeers(t.Context())
	require.Error(t, err)
	assert.NotContains(t, shown(err), "t0ken/")
}

func TestControlCharactersOfABodyAreNotInTheErrorText(t *testing.T) {
	t.Parallel()
	_, err := answering(t, 500, "text/plain", "one\ntwo\x1b[31mred").ListPeers(t.Context())
	assert.Equal(t, "one\ntwo\x1b[31mred", gatewayError(t, err).Body)
	assert.Contains(t, err.Error(), "one two [31mred")
}

func TestControlCharactersOfAHeaderAreNotInTheErrorText(t *testing.T) {
	t.Parallel()
	const escape = "\u009b31m\u0085\u2028x"
	c := serving(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Request-Id", escape)
		w.Header().Set("Location", "http://"+escape+"/")
		w.WriteHeader(302)
	})
	_, err := c.ListPeers(t.Context())
	require.EqualError(t, err, "mesh: GET /peers: status 302: redirects are not followed; this one leads to the host  31m  x (request  31m  x)")
}
