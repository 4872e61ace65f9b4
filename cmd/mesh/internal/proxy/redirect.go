package proxy

import (
	"io"
	"net/http"
	"net/url"
	"strings"
)

// redirect changes the Location of a redirect. One on the host of the upstream points to the proxy: otherwise the program would send the
// next request, which is not counted, to the provider. One to another host leads there by a path without the secret, since Go sends the URL
// of the last request as the Referer. Without a prefix the program is connected with the host, and no URL has the secret.
func (p *Proxy) redirect(res *http.Response, upstream *url.URL, prefix string) {
	to, err := res.Location() // relative to the request
	switch {
	case err != nil || prefix == "":
		return
	case strings.EqualFold(hostAndPort(to), hostAndPort(upstream)):
		to.User = nil
		to.Path, to.RawPath = prefix+to.Path, prefix+to.EscapedPath()
	case res.StatusCode/100 == 3 && to.Host != "":
		to = &url.URL{Path: p.redirects, RawQuery: url.Values{"to": {to.String()}}.Encode()}
	default:
		return
	}
	to.Scheme, to.Host = "http", p.host
	res.Header.Set("Location", to.String())
}

// leave redirects a program to another host, as the provider did. The body is read first, so that the program can receive the response.
func leave(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	http.Redirect(w, r, r.URL.Query().Get("to"), http.StatusTemporaryRedirect) //nolint:gosec // only the program knows the path
}

// hostAndPort returns the host of a URL without the port that its scheme has by itself.
func hostAndPort(u *url.URL) string {
	if u.Port() == defaultPorts[u.Scheme] {
		return u.Hostname()
	}
	return u.Host
}
