package soak_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

const token = "example.token.of.the.soak"

func nodeName(i int) string { return fmt.Sprintf("node-%03d", i) }

// beGateway is the gateway process: it prints its URL, serves until standard input ends, and prints its account.
func beGateway(nodes int, seed uint64) error {
	var names []string
	for i := range nodes {
		names = append(names, nodeName(i))
	}
	g := gatewaytest.Start(gatewaytest.WithToken(token), gatewaytest.WithPeers(names...))
	defer g.Close()
	c := newChaos(seed)
	g.FailIf(func(r gatewaytest.Request) *gatewaytest.Fault {
		g.ForgetRequests()
		return c.choose(r)
	})
	fmt.Println(g.URL)
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	g.Heal()
	unread, err := countUnread(g, names)
	if err != nil {
		return err
	}
	c.account.Unread = unread
	c.account.Stored = int(g.Store(nodeName(0), nodeName(0), "fyi", "the next")) - 1 // ids have no gaps
	return json.NewEncoder(os.Stdout).Encode(c.account)
}

func countUnread(g *gatewaytest.Gateway, inboxes []string) (int, error) {
	c, err := client.New("auditor", g.Options()...)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, inbox := range inboxes {
		rows, err := c.Fetch(context.Background(), client.FetchOptions{ToNode: inbox, UnreadOnly: true, Limit: 1000})
		if err != nil {
			return 0, err
		}
		n += len(rows)
	}
	return n, c.Close()
}

// process is the gateway process as the test sees it.
type process struct {
	url    string
	cmd    *exec.Cmd
	stdin  io.Closer
	stdout *bufio.Reader
}

func startGateway(t *testing.T, nodes int, seed uint64) *process {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(self, "-gateway", fmt.Sprint(nodes), "-seed", fmt.Sprint(seed))
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = stdin.Close(); _ = cmd.Wait() })
	p := &process{cmd: cmd, stdin: stdin, stdout: bufio.NewReader(stdout)}
	url, err := p.stdout.ReadString('\n')
	require.NoError(t, err, "the gateway says where it is")
	p.url = strings.TrimSpace(url)
	return p
}

// finish ends the gateway and returns its account.
func (p *process) finish(t *testing.T) account {
	t.Helper()
	require.NoError(t, p.stdin.Close())
	var a account
	require.NoError(t, json.NewDecoder(p.stdout).Decode(&a))
	require.NoError(t, p.cmd.Wait())
	return a
}
