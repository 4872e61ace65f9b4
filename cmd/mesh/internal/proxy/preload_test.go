package proxy

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// routed prints which addresses in its argument the preload sends to the meter.
const routed = `
const net = require('node:net'), tls = require('node:tls');
tls.connect = () => 'direct';
const { EventEmitter } = require('node:events');
net.connect = () => Object.assign(new EventEmitter(), { write() {} });
require(process.argv[1]);
console.log(JSON.stringify(JSON.parse(require('node:fs').readFileSync(process.argv[2])).map(address => {
	const url = new URL('https://' + address), port = +(url.port || 443), host = url.hostname.replace(/[\[\]]/g, '');
	const all = [tls.connect({ host, port }), tls.connect(port, host), tls.connect(port, '10.0.0.1', { servername: host }, () => {}), tls.connect({ port, host, servername: host })];
	if (new Set(all.map(s => s === 'direct')).size > 1) throw new Error(address);
	return all[0] !== 'direct';
})));`

// The preload sends the meter what it serves, and nothing else. Without Node, only the
// proxy's table is checked.
func TestPreloadAndProxyKnowTheSameHosts(t *testing.T) {
	t.Parallel()
	p := &Proxy{hosts: newHostTable([]string{"localhost:11434", "llm.example.com", "[::1]:8443", "10.0.0.1"}), host: "127.0.0.1:1"}
	list := addresses(p.hosts)
	list = append(list, "[::1]:8443", "[::1]:443", "localhost:11434", "localhost:3000", "10.0.0.1:1")
	want := make([]bool, len(list))
	counted := 0
	for i, address := range list {
		if want[i] = p.hosts.has(address); want[i] {
			counted++
		}
	}
	assert.Greater(t, counted, len(list)/10)
	assert.Less(t, counted, len(list)*9/10)
	node, err := exec.LookPath("node")
	if err != nil {
		return
	}
	folder := t.TempDir()
	_, err = p.writePreload(folder, nil)
	require.NoError(t, err)
	text, err := json.Marshal(list)
	require.NoError(t, err)
	given := filepath.Join(folder, "addresses.json")
	require.NoError(t, os.WriteFile(given, text, 0o600))
	out, err := exec.CommandContext(t.Context(), node, "-e", routed, filepath.Join(folder, "preload.cjs"), given).Output()
	require.NoError(t, err)
	var got []bool
	require.NoError(t, json.Unmarshal(out, &got))
	require.Len(t, got, len(want))
	for i := range want {
		assert.Equal(t, want[i], got[i], list[i])
	}
}

// NODE_OPTIONS has its own quoting, and a directory's name may have quotes, too. Without
// Node, this checks nothing.
func TestPreloadInAFolderWithQuotes(t *testing.T) {
	t.Parallel()
	node, err := exec.LookPath("node")
	if err != nil {
		return
	}
	for _, name := range []string{`a"b`, `"`, `a b`, `a\b`, `\"`, `a'b`} {
		folder := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.Mkdir(folder, 0o700))
		options, err := (&Proxy{host: "127.0.0.1:1"}).writePreload(folder, nil)
		require.NoError(t, err)
		cmd := exec.CommandContext(t.Context(), node, "-p", "Object.keys(require.cache).length")
		cmd.Env = append(os.Environ(), "NODE_OPTIONS="+options)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s: %s", name, out)
		assert.Equal(t, "1\n", string(out), name)
	}
}
