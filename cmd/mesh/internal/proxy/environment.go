package proxy

import (
	_ "embed"
	"encoding/json"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Environment returns env with variables that make programs use the proxy.
//
// Without --intercept, base URLs point to the proxy. NO_PROXY includes 127.0.0.1, since
// some programs would otherwise send these calls, with their keys, to the HTTP_PROXY
// proxy.
func (p *Proxy) Environment(env []string) []string {
	env = append([]string{}, env...)
	if UnsupportedParent(env) == "" {
		through := (&url.URL{Scheme: "http", User: p.credentials(), Host: p.host}).String()
		env = append(env, "HTTPS_PROXY="+through, "https_proxy="+through, "NODE_USE_ENV_PROXY=1")
	}
	if p.authority != nil {
		return env // programs may call a --host on this machine
	}
	direct := withLoopback(env)
	for _, u := range p.Upstreams {
		if u.Variable != "" && !(u.Variable == openAIBase && usesAzure(env)) {
			env = append(env, u.Variable+"="+"http://"+p.host+p.prefix(u.API)+u.URL.EscapedPath())
		}
	}
	return append(env, "NO_PROXY="+direct, "no_proxy="+direct)
}

const openAIBase = "OPENAI_BASE_URL"

// usesAzure reports whether env is for Azure OpenAI and lacks OPENAI_BASE_URL. The npm
// package openai would use that variable as AzureOpenAI's base URL: it would send Azure
// calls, with their key, to OpenAI, or refuse its endpoint.
func usesAzure(env []string) bool {
	return valueOf(env, openAIBase) == "" && slices.ContainsFunc(env, func(v string) bool { return strings.HasPrefix(v, "AZURE_OPENAI_") })
}

// Leading returns the variables that point to an address, sorted. They come from
// Environment in an earlier run, and would make the proxy call itself.
func Leading(env []string, address string) (names []string) {
	for _, variable := range env {
		name, value, _ := strings.Cut(variable, "=")
		if u, err := url.Parse(value); err == nil && u.Host == address && (strings.HasSuffix(name, "_BASE_URL") || strings.EqualFold(name, "HTTPS_PROXY") || strings.EqualFold(name, "HTTP_PROXY")) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// withLoopback adds the proxy's address to NO_PROXY.
func withLoopback(env []string) string {
	direct := valueOf(env, "NO_PROXY")
	if lower := valueOf(env, "no_proxy"); lower != "" && lower != direct {
		direct = strings.Trim(direct+","+lower, ",")
	}
	if direct == "*" { // some programs accept it only alone
		return direct
	}
	return strings.Trim(direct+",127.0.0.1", ",")
}

// valueOf returns the last value if a name is repeated.
func valueOf(env []string, name string) (value string) {
	for _, variable := range env {
		if v, ok := strings.CutPrefix(variable, name+"="); ok {
			value = v
		}
	}
	return value
}

//go:embed preload.js
var preload string

// meterHeader is sent by the preload with CONNECT: plainText means that no TLS follows.
// unseen only reports a connection through another proxy.
const (
	meterHeader = "Mesh-Meter"
	plainText   = "plain"
	unseen      = "unseen"
)

// writePreload writes a file that Node runs before each program, and returns
// NODE_OPTIONS for it.
func (p *Proxy) writePreload(folder string, env []string) (string, error) {
	_, text, _ := net.SplitHostPort(p.host)
	port, _ := strconv.Atoi(text)
	config, err := json.Marshal(map[string]any{
		"port": port, "authorization": basic(p.credentials()), "hosts": slices.Sorted(maps.Keys(p.hosts)), "decrypts": p.authority != nil,
	})
	if err != nil {
		return "", err
	}
	name := filepath.Join(folder, "preload.cjs")
	if err := writeFile(name, []byte(strings.Replace(preload, "CONFIG", string(config), 1))); err != nil {
		return "", err
	}
	escaped := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name)
	return strings.TrimSpace(valueOf(env, "NODE_OPTIONS") + ` --require "` + escaped + `"`), nil
}

// redirect changes a redirect's Location.
//
// On the upstream's host it points to the proxy: otherwise the program would send the
// next request, uncounted, to the provider. Other hosts are reached through a path
// without the secret, since Go sends the previous URL as the Referer.
//
// Without a prefix the program is connected to the host itself, and no URL has the
// secret.
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

// leave redirects a program to another host, as the provider did. It drains the body
// first: otherwise the program might not receive the response.
func leave(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	http.Redirect(w, r, r.URL.Query().Get("to"), http.StatusTemporaryRedirect) //nolint:gosec // only the program knows the path
}

// hostAndPort omits the scheme's default port.
func hostAndPort(u *url.URL) string {
	if u.Port() == defaultPorts[u.Scheme] {
		return u.Hostname()
	}
	return u.Host
}
