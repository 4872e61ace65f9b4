package main

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/internal/test/caller"
	"github.com/mesh-gateway/mesh-go/internal/test/newfacts"
)

// TestMain makes the test binary act as mesh, handler or caller if it's started under
// that name. With the race detector, a process sleeps for a second before it exits.
// GORACE turns that off, because these tests start hundreds.
func TestMain(m *testing.M) {
	if os.Getenv("XDG_DATA_HOME") == "" { // scripts set it; otherwise keep the developer's price table out
		os.Setenv("XDG_DATA_HOME", filepath.Join(os.TempDir(), "no-data-of-mesh"))
	}
	os.Setenv("GORACE", "atexit_sleep_ms=0 "+os.Getenv("GORACE"))
	os.Setenv("GOGC", cmp.Or(os.Getenv("GOGC"), "400"))                  // for the commands, too: a small heap is collected too often
	_ = flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0))) // many tests wait
	commands := map[string]func(){
		"mesh":    func() { os.Exit(start()) },
		"handler": func() { os.Exit(handler()) },
		"caller":  func() { os.Exit(caller.Run()) },
	}
	if commands[filepath.Base(os.Args[0])] == nil {
		heedSignals()
	}
	testscript.Main(newfacts.M{M: m}, commands)
}

// heedSignals stops ignoring signals that nohup or a shell's background job ignores.
// Otherwise processes that tests start would ignore them, too.
func heedSignals() {
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGHUP} {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s)
		}
	}
}

// handler is a command for mesh serve:
//
//	answer         answers with the message in upper case
//	say TEXT       answers with a text
//	identity       answers which node it is and how it gets the gateway token
//	leave ADDRESS  answers and leaves a program behind that holds its output open
//	block ADDRESS  connects and answers when the connection is closed
func handler() int {
	message, err := io.ReadAll(os.Stdin)
	if err != nil {
		return 2
	}
	fmt.Fprintln(os.Stderr, "handler:", os.Getenv("MESH_MESSAGE_ID"), os.Getenv("MESH_FROM"), os.Getenv("MESH_KIND"), os.Getenv("MESH_THREAD_ID"))
	switch os.Args[1] {
	case "answer":
		fmt.Println(strings.ToUpper(string(message)))
	case "say":
		fmt.Println(os.Args[2])
	case "identity":
		fmt.Println(os.Getenv("MESH_NODE"), os.Getenv("MESH_GATEWAY_URL"), os.Getenv("MESH_GATEWAY_TOKEN") != "", os.Getenv("MESH_TOKEN_FILE"))
	case "leave":
		left := exec.Command("handler", "block", os.Args[2])
		left.Stdin, left.Stdout = strings.NewReader(""), os.Stdout
		if err := left.Start(); err != nil {
			return 2
		}
		fmt.Println("done")
	case "block":
		conn, err := net.Dial("tcp", os.Args[2])
		if err != nil {
			return 2
		}
		_, _ = io.Copy(io.Discard, conn)
		fmt.Println("done after all")
	}
	return 0
}

func TestClosedPipeEndsQuietly(t *testing.T) {
	t.Parallel()
	reader, writer, err := os.Pipe()
	require.NoError(t, err)
	require.NoError(t, reader.Close())
	var stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "mesh", "prices")
	cmd.Stdout, cmd.Stderr = writer, &stderr
	require.Error(t, cmd.Run(), "there is no reader")
	require.NoError(t, writer.Close())
	assert.NotContains(t, stderr.String(), "goroutine")
	assert.NotContains(t, stderr.String(), "panic")
}

// lines sends each record to a channel.
type lines chan string

func (l lines) Write(record []byte) (int, error) { l <- string(record); return len(record), nil }

// Not parallel: it changes the standard logger.
func TestStandardLogShowsNoUnsolicitedResponse(t *testing.T) {
	const token = "example-token-0123456789-abcdefghij"
	t.Setenv("MESH_GATEWAY_TOKEN", token)
	written, before := make(lines, 1), log.Writer()
	log.SetOutput(stdLog{written})
	t.Cleanup(func() { log.SetOutput(before) })
	for _, echo := range []string{token, "\"" + token, token[:12], strings.ReplaceAll(token, "-", "%2D")} {
		address := serveOnce(t, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nX-Echo: "+echo+"\r\n\r\n")
		resp, err := http.Get("http://" + address)
		require.NoError(t, err)
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		got := <-written
		assert.Contains(t, got, "Unsolicited response received")
		assert.NotContains(t, got, echo)
		assert.Equal(t, 1, strings.Count(got, "\n"))
	}
}

func TestStandardLogIsRedacted(t *testing.T) {
	const token = "example-token-0123456789-abcdefghij"
	t.Setenv("MESH_GATEWAY_TOKEN", token)
	var out strings.Builder
	record := "proxy answered " + token + " and " + strings.Join([]string{"pypi", strings.Repeat("a", 30)}, "-") + "\x1b[2J"
	n, err := log.New(stdLog{&out}, "", 0).Writer().Write([]byte(record + "\n"))
	require.NoError(t, err)
	assert.Equal(t, len(record)+1, n)
	assert.Equal(t, "proxy answered [REDACTED:live-gateway-token] and [REDACTED:pypi-token]\uFFFD[2J\n", out.String())
}

// serveOnce answers one connection with text and returns its address.
func serveOnce(t *testing.T, text string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		t.Cleanup(func() { _ = conn.Close() })
		_, _ = conn.Read(make([]byte, 1))
		_, _ = io.WriteString(conn, text)
	}()
	return listener.Addr().String()
}
