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

// Environment returns an environment in which programs use the proxy. Without --intercept the base URLs lead to it. Without 127.0.0.1
// in NO_PROXY, some programs would send these calls, with their keys, to the proxy of HTTP_PROXY.
func (p *Proxy) Environment(env []string) []string {
	env = append([]string{}, env...)
	if UnsupportedParent(env) == "" {
		through := (&url.URL{Scheme: "http", User: p.credentials(), Host: p.host}).String()
		env = append(env, "HTTPS_PROXY="+through, "https_proxy="+through, "NODE_USE_ENV_PROXY=1")
	}
	if p.authority != nil {
		return env // a program may call a host of --host on this machine
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

// usesAzure reports whether an environment is one for Azure OpenAI, without OPENAI_BASE_URL. AzureOpenAI of the npm package openai takes
// that variable for its own base URL: it would send Azure's calls, with their key, to OpenAI, or refuse its endpoint.
func usesAzure(env []string) bool {
	return valueOf(env, openAIBase) == "" && slices.ContainsFunc(env, func(v string) bool { return strings.HasPrefix(v, "AZURE_OPENAI_") })
}

// Leading returns the names of the variables that lead to an address: those of Environment at an earlier run. The proxy would call itself.
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

// withLoopback returns NO_PROXY with the address of the proxy.
func withLoopback(env []string) string {
	direct := valueOf(env, "NO_PROXY")
	if lower := valueOf(env, "no_proxy"); lower != "" && lower != direct {
		direct = strings.Trim(direct+","+lower, ",")
	}
	if direct == "*" { // some programs know it only by itself
		return direct
	}
	return strings.Trim(direct+",127.0.0.1", ",")
}

// valueOf returns the value of a variable, the last one if there are several.
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

// meterHeader is the header of CONNECT with which the preload names what it connects: plainText follows without TLS, and unseen is a
// connection through another proxy, which it only reports.
const (
	meterHeader = "Mesh-Meter"
	plainText   = "plain"
	unseen      = "unseen"
)

// writePreload writes a file that Node runs before each program, and returns NODE_OPTIONS with it.
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
