package sockets_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/sockets"
)

// TestMain makes the test binary a program that connects. "dial ADDRESS" prints the local
// address and stays connected until stdin ends. "brief ADDRESS" sends five bytes and
// disconnects, "wait ADDRESS" waits for the server to disconnect, and "child ARG…" runs
// itself with an empty environment.
func TestMain(m *testing.M) {
	if len(os.Args) < 3 || strings.HasPrefix(os.Args[1], "-") {
		os.Exit(m.Run())
	}
	if os.Args[1] == "child" {
		cmd := exec.Command(os.Args[0], os.Args[2:]...)
		cmd.Env, cmd.Stdin, cmd.Stdout = []string{}, os.Stdin, os.Stdout
		if cmd.Run() != nil {
			os.Exit(1)
		}
		return
	}
	conn, err := net.Dial("tcp", os.Args[2])
	if err != nil {
		os.Exit(2)
	}
	fmt.Println(conn.LocalAddr())
	switch os.Args[1] {
	case "dial":
		_, _ = io.Copy(io.Discard, os.Stdin)
	case "brief":
		fmt.Fprint(conn, "hello")
	case "wait":
		fmt.Fprint(conn, "hello")
		_, _ = conn.Read(make([]byte, 1))
	}
	conn.Close()
}

// model replaces the address with the host's name.
func model(address string) string {
	return strings.Replace(address, "127.0.0.1", "model.example.com", 1)
}

// listen returns a server's address. The server keeps connections until the program
// closes them, or resets them after five bytes.
func listen(t *testing.T, resets bool) string {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				if resets {
					_, _ = io.ReadFull(conn, make([]byte, 5))
					_ = conn.(*net.TCPConn).SetLinger(0)
					return
				}
				_, _ = io.Copy(io.Discard, conn)
			}()
		}
	}()
	return listener.Addr().String()
}

// watch returns a Watch for model.example.com, which resolves to loopback.
func watch(t *testing.T, address string) *sockets.Watch {
	t.Helper()
	_, port, err := net.SplitHostPort(address)
	require.NoError(t, err)
	return sockets.New(sockets.Config{
		Hosts:  []string{"model.example.com:" + port, "away.example.com:" + port},
		Own:    func(netip.AddrPort) bool { return false },
		Secret: "a-secret-of-" + t.Name(),
		Lookup: func(_ context.Context, _, host string) ([]netip.Addr, error) {
			if host == "model.example.com" {
				return []netip.Addr{netip.MustParseAddr("::ffff:127.0.0.1")}, nil
			}
			return nil, io.EOF
		},
	})
}

func start(t *testing.T, env []string, args ...string) (cmd *exec.Cmd, local string, end func()) {
	t.Helper()
	cmd = exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env = env
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	local, err = bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	return cmd, local, func() { in.Close(); assert.NoError(t, cmd.Wait()) }
}

func TestConnectionsOfACommandAreFound(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"dial"}, {"child", "dial"}, {"child", "child", "dial"}} {
		address := listen(t, false)
		w := watch(t, address)
		cmd, _, end := start(t, []string{}, append(args, address)...)
		w.Start(t.Context(), cmd.Process.Pid)
		assert.Equal(t, map[string]sockets.Traffic{model(address): {Connections: 1}}, w.End(t.Context()), "while it is open")
		end()
	}
}

// A connection may open and close between two samples, and either side may close it. If
// the kernel doesn't report such connections, there are no byte counts.
func TestShortConnectionsAreFound(t *testing.T) {
	t.Parallel()
	reports := false // whether the kernel reports closed connections
	for _, how := range []string{"brief", "wait"} {
		address := listen(t, how == "wait")
		w := watch(t, address)
		cmd, _, end := start(t, []string{}, "child", how, address)
		end()
		w.Start(t.Context(), cmd.Process.Pid)
		got := w.End(t.Context())[model(address)]
		if how == "wait" && !reports {
			break // reset connections are in no table
		}
		assert.Equal(t, 1, got.Connections, how)
		if reports = got.Sent > 0; reports {
			assert.Contains(t, []int64{3, 4, 5}, got.Sent, "at least")
		}
	}
}

// A child whose parent has ended is recognized by its environment.
func TestOrphansAreFound(t *testing.T) {
	t.Parallel()
	address := listen(t, false)
	w := watch(t, address)
	_, _, end := start(t, []string{"HTTPS_PROXY=http://mesh:a-secret-of-" + t.Name() + "@127.0.0.1"}, "dial", address)
	defer end()
	w.Start(t.Context(), 1<<30)
	assert.Len(t, w.End(t.Context()), 1)
}

func TestConnectionsOfOtherProgramsAreNot(t *testing.T) {
	t.Parallel()
	address := listen(t, false)
	_, _, before := start(t, []string{}, "dial", address)
	defer before()
	_, _, gone := start(t, []string{}, "dial", address)
	gone()
	w := watch(t, address)
	_, _, end := start(t, []string{}, "dial", address)
	defer end()
	w.Start(t.Context(), os.Getppid()+1<<30)
	assert.Empty(t, w.End(t.Context()))
	none := sockets.New(sockets.Config{Own: func(netip.AddrPort) bool { return false }})
	assert.Empty(t, none.End(t.Context()), "a command that did not start")
}

// The proxy's own connections aren't the command's. Both address families are read.
func TestOwnConnectionsAreNot(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"[::1]:0", "127.0.0.1:0"} {
		listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", address)
		if err != nil {
			continue // no IPv6
		}
		t.Cleanup(func() { listener.Close() })
		own := ""
		w := sockets.New(sockets.Config{
			Hosts: []string{listener.Addr().String()},
			Own:   func(local netip.AddrPort) bool { return local.String() == own },
		})
		cmd, local, end := start(t, []string{}, "dial", listener.Addr().String())
		own = strings.TrimSpace(local)
		_, _, other := start(t, []string{}, "dial", listener.Addr().String())
		w.Start(t.Context(), os.Getpid())
		assert.Equal(t, map[string]sockets.Traffic{listener.Addr().String(): {Connections: 1}}, w.End(t.Context()), cmd.Args)
		end()
		other()
	}
}

// Ours recognizes this user's connections. Only root can make another user's.
func TestOurs(t *testing.T) {
	t.Parallel()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	accept := func() net.Conn {
		conn, err := listener.Accept()
		require.NoError(t, err)
		t.Cleanup(func() { conn.Close() })
		return conn
	}
	ours, err := new(net.Dialer).DialContext(t.Context(), "tcp", listener.Addr().String())
	require.NoError(t, err)
	assert.True(t, sockets.Ours(accept()))
	require.NoError(t, ours.Close())
	if os.Geteuid() != 0 {
		return
	}
	other := exec.CommandContext(t.Context(), "/bin/bash", "-c", `exec 3<>"/dev/tcp/127.0.0.1/$0"; read -u 3`, listener.Addr().(*net.TCPAddr).AddrPort().String()[len("127.0.0.1:"):])
	other.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	require.NoError(t, other.Start())
	conn := accept()
	assert.False(t, sockets.Ours(conn))
	require.NoError(t, conn.Close())
	_ = other.Wait()
}
