package proxy_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// After a redirect to the provider's own host, the next call wouldn't be counted.
func TestLocationsOfTheUpstreamPointToTheProxy(t *testing.T) {
	t.Parallel()
	var host string
	p := start(t, func(w http.ResponseWriter, r *http.Request) {
		host = r.Host
		w.Header().Set("Location", strings.ReplaceAll(r.URL.Query().Get("to"), "HOST", r.Host))
		w.WriteHeader(http.StatusTemporaryRedirect)
	}, []string{"openai=%s/v1"})
	base := strings.TrimSuffix(p.base, "/v1")
	for to, want := range map[string]string{
		"http://HOST/v1/files/f%2F1/content?a=b#c": base + "/v1/files/f%2F1/content?a=b#c",
		"HTTP://HOST":         base,
		"//HOST/v1/x":         base + "/v1/x",
		"/v1/responses?a=%2F": base + "/v1/responses?a=%2F",
		"completions/":        base + "/v1/chat/completions/",
		"../x":                base + "/v1/x",
		"://":                 "://",
		"":                    "",
	} {
		res := do(t, http.MethodPost, p.base+"/chat/old?to="+url.QueryEscape(to), chat)
		assert.Equal(t, strings.ReplaceAll(want, "HOST", host), res.Header.Get("Location"), to)
	}
}

// Go sends a redirected request's URL as the next one's Referer.
func TestRedirectsDoNotShowTheSecret(t *testing.T) {
	t.Parallel()
	var referers, bodies []string
	note := func(r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		referers, bodies = append(referers, r.Referer()), append(bodies, string(body))
	}
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		note(r)
		assert.Empty(t, r.Header.Get("Authorization"))
		_, _ = io.WriteString(w, r.RequestURI)
	}))
	t.Cleanup(other.Close)
	p := start(t, func(w http.ResponseWriter, r *http.Request) {
		note(r)
		to := map[string]string{"/v1/files/1": "/v1/files/2", "/v1/files/2": strings.Replace(other.URL, "127.0.0.1", "localhost", 1) + "/a%2Fb?c=d;e&f=%26"}
		http.Redirect(w, r, to[r.URL.Path], http.StatusTemporaryRedirect)
	}, []string{"openai=%s/v1"})
	for _, body := range []string{"", "text"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.base+"/files/1", strings.NewReader(body))
		require.NoError(t, err)
		req.Header.Set("Authorization", "Bearer "+key)
		res, err := new(http.Client).Do(req)
		require.NoError(t, err)
		defer res.Body.Close()
		assert.Equal(t, "/a%2Fb?c=d;e&f=%26", textOf(t, res))
		assert.Equal(t, []string{body, body, body}, bodies)
		require.Len(t, referers, 3)
		secret := strings.Split(p.base, "/")[3]
		assert.NotContains(t, strings.Join(referers, " "), secret)
		referers, bodies = nil, nil
	}
}

// A program may send its own Referer.
func TestOtherReferersStay(t *testing.T) {
	t.Parallel()
	p := start(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.Referer()) }, []string{"openai=%s/v1"})
	assert.Equal(t, "https://app.example.com/", textOf(t, do(t, http.MethodGet, p.base+"/models", "", "Referer: https://app.example.com/")))
}
