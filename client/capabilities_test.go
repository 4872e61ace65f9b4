package client_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	generated "github.com/mesh-gateway/mesh-go/gen/gateway"
)

// hostileCapabilities returns capabilities that no response of at most 4 MiB may fail for.
func hostileCapabilities() map[string]string {
	return map[string]string{
		"600,000 elements": `{"x":[` + long("0,", 600_000) + `0]}`,
		"a 5 MiB value":    `{"x":"` + long("x", 5<<20) + `"}`,
		"9,998 levels":     `{"x":` + long("[", 9_998) + long("]", 9_998) + `}`,
		"20,000 levels":    `{"x":` + long(`{"":`, 20_000) + `1` + long("}", 20_000) + `}`,
	}
}

func TestListPeersDropsOversizedCapabilities(t *testing.T) {
	t.Parallel()
	for name, capabilities := range hostileCapabilities() {
		for _, list := range []string{
			`{"peers":[{"name":"node-a","capabilities":{"a":[1,{"b":"}"}]}},{"name":"hog","capabilities":` + capabilities + `,"enabled":0,"new":1}],"n":2}`,
			`[{"capabilities":` + capabilities + `,"name":"hog"} , {"name":"node-a","capabilities" : {"a":[1,{"b":"}"}]} }]`,
		} {
			var log bytes.Buffer
			c := inProcess(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(list)) },
				client.WithLogger(slog.New(slog.NewTextHandler(&log, nil))), client.WithMaxResponseBytes(4<<20), client.WithTimeout(time.Minute))
			peers, err := c.ListPeers(t.Context())
			require.NoError(t, err, name)
			require.Len(t, peers, 2)
			for _, p := range peers {
				if p.Name == "node-a" {
					assert.Equal(t, map[string]any{"a": []any{json.Number("1"), map[string]any{"b": "}"}}}, p.Capabilities)
					assert.Empty(t, p.AdditionalProperties)
					continue
				}
				assert.Equal(t, map[string]any{}, p.Capabilities)
				assert.JSONEq(t, "true", string(p.AdditionalProperties["capabilities_dropped"]), name)
			}
			assert.Contains(t, log.String(), `msg="capabilities of peers are too large and were dropped" count=1 peers=[hog]`)
		}
	}
}

// Many peers with large capabilities are as harmless as one.
func TestListPeersDropsCapabilitiesInTwoSteps(t *testing.T) {
	t.Parallel()
	row := func(size int) string {
		return `{"name":"node-b","capabilities":{"x":"` + long("x", size) + `"}},`
	}
	for _, test := range []struct {
		list, kept        string
		requests, dropped int
	}{
		{list: long(row(200), 2) + row(1), requests: 1},
		{list: long(row(70_000), 4) + row(1), requests: 2, dropped: 4},
		{list: long(row(7_000), 40) + row(1), requests: 2, dropped: 40},
		{list: row(70_000) + long(row(7_000), 40) + row(1), requests: 3, dropped: 41},
	} {
		requests := 0
		c := inProcess(t, func(w http.ResponseWriter, _ *http.Request) {
			requests++
			_, _ = w.Write([]byte(`[` + test.list + `{"name":"last"}]`))
		}, client.WithMaxResponseBytes(100_000), quiet())
		peers, err := c.ListPeers(t.Context())
		require.NoError(t, err)
		dropped := 0
		for _, p := range peers {
			if p.AdditionalProperties["capabilities_dropped"] != nil {
				dropped++
			}
		}
		assert.Equal(t, test.requests, requests)
		assert.Equal(t, test.dropped, dropped)
		assert.Equal(t, map[string]any{"x": "x"}, peers[len(peers)-2].Capabilities)
	}
}

func TestListPeersWithoutLargeCapabilitiesIsRequestedOnce(t *testing.T) {
	t.Parallel()
	requests := 0
	c := inProcess(t, func(w http.ResponseWriter, _ *http.Request) {
		requests++
		_, _ = w.Write([]byte(`[` + long(`{"name":"node-b","capabilities":{}},`, 100) + `{"name":"last"}]`))
	}, client.WithMaxResponseBytes(1000))
	_, err := c.ListPeers(t.Context())
	require.ErrorIs(t, err, client.ErrTooLarge)
	assert.Equal(t, 1, requests)
}

// What is not dropped is read as the decoder of the document reads it.
func FuzzListPeers(f *testing.F) {
	f.Add(`[{"name":"node-b","capabilities":{"a":"\\\"}"}}]`)
	f.Add(`{"n":[[{"capabilities":"x"}]],"peers":[{"capabilities":[],"name":"x"}]} x`)
	f.Add(`[{"name":"capabilities","url":"capabilities","x":{"capabilities":1}},{"capabilities":{"capabilities":{}}`)
	f.Fuzz(func(t *testing.T, body string) {
		var want generated.PeerList
		invalid := want.UnmarshalJSON([]byte(body))
		c := inProcess(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) })
		peers, err := c.ListPeers(t.Context())
		if len(bytes.Trim([]byte(body), " \t\r\n")) == 0 {
			require.NoError(t, err)
			return
		}
		require.Equal(t, invalid == nil, err == nil, "%v", err)
		if err == nil {
			require.Equal(t, want.Peers, peers)
		}
	})
}
