// Package caller is a program for tests of mesh meter. It calls providers, which the
// package also starts.
package caller

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
)

// Key is the program's key, passed in AGENT_KEY.
const Key = "the-key-of-the-agent"

// StartProviders starts providers that accept Key. It returns the mesh meter flags that
// lead to them.
func StartProviders(t *testing.T) (s *discoverytest.Server, upstreams []string) {
	t.Helper()
	s = discoverytest.New(t, discoverytest.WithKeys(map[discovery.Service]string{
		discovery.ServiceOpenAI: Key, discovery.ServiceAnthropic: Key, discovery.ServiceGemini: Key,
	}))
	return s, []string{"--upstream", "openai=" + s.URL + "/openai/v1", "--upstream", "anthropic=" + s.URL + "/anthropic", "--upstream", "gemini=" + s.URL + "/gemini"}
}

// Run is the program. Each argument is a step:
//
//   - chat, stream, messages and content call a provider's API
//   - https://HOST/PATH sends a request to that URL
//   - VARIABLE/PATH sends a request to a path below the URL in an environment variable
//   - env prints the environment, and roots the certificate files it names
//   - fail exits with 7
//   - cut and cutmessages exit while they read a stream
//   - signals prints signals until SIGTERM
//
// Requests print their status and body.
func Run() int {
	for _, name := range os.Args[1:] {
		switch name {
		case "env":
			fmt.Println(strings.Join(os.Environ(), "\n"))
		case "roots":
			printRoots()
		case "fail":
			return 7
		case "signals":
			return printSignals()
		case "cut":
			return cutStream()
		case "cutmessages":
			return cutMessages()
		case "many": // calls until a budget refuses one
			for n := 0; ; n++ {
				if status := askQuietly("chat"); status != http.StatusOK {
					fmt.Println("calls:", n, "status:", status)
					break
				}
			}
		default:
			if address, direct := strings.CutPrefix(name, "direct "); direct { // bypasses the proxy
				conn, err := net.Dial("tcp", address)
				if err != nil {
					return 3
				}
				fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
				_, _ = http.ReadResponse(bufio.NewReader(conn), nil)
				_ = conn.Close()
				continue
			}
			if command, clean := strings.CutPrefix(name, "clean "); clean { // a child with an empty environment
				child := exec.Command("/proc/self/exe", command)
				child.Args[0], child.Env = "caller", []string{}
				if child.Run() != nil {
					return 3
				}
				continue
			}
			if folder, remove := strings.CutPrefix(name, "remove "); remove {
				_ = os.RemoveAll(folder)
				continue
			}
			if err := askModel(name); err != nil {
				fmt.Fprintln(os.Stderr, err)
				return 3
			}
		}
	}
	return 0
}

// printRoots prints each variable that names a certificate file: the number of
// certificates, the first one's content, and the file name.
func printRoots() {
	for _, variable := range os.Environ() {
		name, file, _ := strings.Cut(variable, "=")
		text, err := os.ReadFile(file)
		const begin = "-----BEGIN CERTIFICATE-----\n"
		if err != nil || !strings.HasPrefix(string(text), begin) {
			continue
		}
		first, _, _ := strings.Cut(string(text[len(begin):]), "\n")
		fmt.Println("roots", name, strings.Count(string(text), begin), first, file)
		if strings.Contains(string(text), "PRIVATE KEY") {
			fmt.Println("PRIVATE")
		}
	}
}

// question returns a request to an API as an official SDK would send it, with AGENT_KEY's
// key.
func question(name string) (*http.Request, error) {
	key := os.Getenv("AGENT_KEY")
	var url, header, value, body string
	switch name {
	case "chat":
		url, header, value = os.Getenv("OPENAI_BASE_URL")+"/chat/completions", "Authorization", "Bearer "+key
		body = `{"model":"gpt-4o","messages":[{"role":"user","content":"private"}]}`
	case "stream":
		url, header, value = os.Getenv("OPENAI_BASE_URL")+"/chat/completions", "Authorization", "Bearer "+key
		body = `{"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"private"}]}`
	case "messages":
		url, header, value = os.Getenv("ANTHROPIC_BASE_URL")+"/v1/messages", "X-Api-Key", key
		body = `{"model":"claude-sonnet-5","max_tokens":9,"messages":[{"role":"user","content":"private"}]}`
	default:
		if strings.HasPrefix(name, "https://") {
			url, header, value, body = name, "Authorization", "Bearer "+key, `{"model":"gpt-4o","messages":[{"role":"user","content":"private"}]}`
			break
		}
		if variable, path, given := strings.Cut(name, "/"); given {
			url, header, value, body = os.Getenv(variable)+"/"+path, "Authorization", "Bearer "+key, "{}"
			break
		}
		url, header, value = os.Getenv("GOOGLE_GEMINI_BASE_URL")+"/v1beta/models/gemini-3-flash-preview:generateContent?key="+key, "X-Goog-Api-Key", key
		body = `{"contents":[{"parts":[{"text":"private"}]}]}`
	}
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, url, strings.NewReader(body))
	if err == nil {
		req.Header.Set(header, value)
		req.Header.Set("Anthropic-Version", "2023-06-01")
		if agent := os.Getenv("AGENT_NAME"); agent != "" {
			req.Header.Set("User-Agent", agent)
		}
	}
	return req, err
}

func askModel(name string) error {
	if url, ok := strings.CutPrefix(name, "bun "); ok { // CONNECT as Bun sends it
		name = url
		transport := http.DefaultTransport.(*http.Transport)
		transport.ProxyConnectHeader = http.Header{"User-Agent": {""}, "Proxy-Connection": {"Keep-Alive"}}
	}
	req, err := question(name)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	fmt.Println(name, res.StatusCode, res.Header.Get("X-Should-Retry"), string(text))
	return err
}

// askQuietly returns the status, or 0.
func askQuietly(name string) int {
	req, err := question(name)
	if err != nil {
		return 0
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, res.Body)
	return res.StatusCode
}

// cutStream exits while the provider is still sending.
func cutStream() int {
	req, err := question("chat")
	if err != nil {
		return 3
	}
	req.Body = io.NopCloser(strings.NewReader(`{"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"private"}]}`))
	req.ContentLength = -1
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 3
	}
	if _, err := res.Body.Read(make([]byte, 100)); err != nil {
		return 3
	}
	return 0 // no Close
}

// cutMessages exits while Claude is still sending.
func cutMessages() int {
	req, err := question("messages")
	if err != nil {
		return 3
	}
	req.Body = io.NopCloser(strings.NewReader(`{"model":"claude-sonnet-5","max_tokens":9,"stream":true,"messages":[{"role":"user","content":"private"}]}`))
	req.ContentLength = -1
	res, err := http.DefaultClient.Do(req)
	if err != nil || res.StatusCode != http.StatusOK {
		return 3
	}
	if _, err := res.Body.Read(make([]byte, 1000)); err != nil {
		return 3
	}
	return 0 // no Close
}
