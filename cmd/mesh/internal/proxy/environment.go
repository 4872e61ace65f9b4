package proxy

import (
	"net/url"
	"slices"
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
