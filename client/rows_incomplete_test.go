package client_test

import (
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
)

const oneRow = `{"id":1,"from_node":"node-b","to_node":"node-a","kind":"fyi","created_at":"t"}`

// A list with a cursor for more rows must not be taken for complete.
func TestIncompleteListsAreReported(t *testing.T) {
	t.Parallel()
	const next = `<http://gateway/messages?cursor=2>; rel="next"`
	for _, c := range []struct {
		name, body, link string
		limit            int
		incomplete       bool
	}{
		{"cursor", `{"messages":[` + oneRow + `],"next_cursor":"c"}`, "", 0, true},
		{"number", `{"messages":[` + oneRow + `],"next_cursor":2}`, "", 5, true},
		{"empty list", `{"messages":[],"next_cursor":"c"}`, "", 0, true},
		{"null", `{"messages":[` + oneRow + `],"next_cursor":null}`, "", 0, false},
		{"empty", `{"messages":[` + oneRow + `],"next_cursor":""}`, "", 0, false},
		{"as many as requested", `{"messages":[` + oneRow + `],"next_cursor":"c"}`, "", 1, false},
		{"link", `[` + oneRow + `]`, next, 0, true},
		{"several links", `[` + oneRow + `]`, `<a>; rel=prev, <b>; rel=next`, 0, true},
		{"relations", `[` + oneRow + `]`, `<a>; rel="last next"`, 0, true},
		{"another link", `[` + oneRow + `]`, `<http://gateway/next>; rel="self"; title="next"`, 0, false},
	} {
		m := serving(t, func(w http.ResponseWriter, _ *http.Request) {
			if c.link != "" {
				w.Header().Set("Link", c.link)
			}
			_, _ = io.WriteString(w, c.body)
		})
		rows, err := m.Fetch(t.Context(), client.FetchOptions{Limit: c.limit})
		assert.NotNil(t, rows, c.name)
		if !c.incomplete {
			assert.NoError(t, err, c.name)
			continue
		}
		require.ErrorIs(t, err, client.ErrIncomplete, c.name)
		require.ErrorIs(t, err, client.ErrMesh, c.name)
		assert.Equal(t, "mesh: the list is incomplete: the gateway has more rows than this response", err.Error())
	}
}

func TestEveryListReportsThatItIsIncomplete(t *testing.T) {
	t.Parallel()
	const thread = `{"thread_uuid":"u","thread_name":"n","peer_pair":"p","topic":"t","created_at":"t","last_used_at":"t"}`
	m := serving(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, map[string]string{
			"/peers": `{"peers":[{"name":"node-b"}],"next_cursor":"c"}`, "/threads": `{"threads":[` + thread + `],"next_cursor":"c"}`,
			"/threads/u": `{"thread":` + thread + `,"messages":[` + oneRow + `],"next_cursor":"c"}`, "/peers/node-z": `{"name":"node-z"}`, "/messages": oneRow,
		}[r.URL.Path])
	})
	ctx := t.Context()
	peers, err := m.ListPeers(ctx)
	require.ErrorIs(t, err, client.ErrIncomplete)
	assert.Len(t, peers, 1)
	threads, err := m.ListThreads(ctx, client.ThreadQuery{})
	require.ErrorIs(t, err, client.ErrIncomplete)
	assert.Len(t, threads, 1)
	_, messages, err := m.GetThread(ctx, "u", client.ThreadOptions{})
	require.ErrorIs(t, err, client.ErrIncomplete)
	assert.Len(t, messages, 1)

	_, err = m.Send(ctx, client.SendRequest{To: "node-z", Kind: client.KindFYI, Content: "x"})
	require.NoError(t, err, "a peer that is not in an incomplete list is looked up alone")
}

// One line of a stream of JSON values would be taken for the whole response.
func TestStreamsAreNotReadAsOneValue(t *testing.T) {
	t.Parallel()
	for _, mediaType := range []string{"application/x-ndjson", "application/jsonl; charset=utf-8"} {
		m := answering(t, http.StatusOK, mediaType, `{"messages":[],"peers":[],"name":"node-a"}`+"\n")
		_, err := m.Fetch(t.Context(), client.FetchOptions{})
		assert.ErrorContains(t, err, "a stream of JSON values")
		_, err = m.GetPeer(t.Context(), "node-a")
		assert.ErrorContains(t, err, "a stream of JSON values")
		var out map[string]any
		assert.ErrorContains(t, m.Do(t.Context(), client.Request{Method: "GET", Path: "/a"}, &out), "a stream of JSON values")
		var failed *client.MeshGatewayError
		require.ErrorAs(t, m.Do(t.Context(), client.Request{Method: "POST", Path: "/a"}, &out), &failed)
		assert.True(t, failed.Delivered)
	}
}

// The token is returned once: it must not be lost because the registration is in a field.
func TestWrappedRegistrationKeepsTheToken(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"status":"registered","peer":{"name":"node-a","peer_token":"secret-1"}}`,
		`{"peer":{"name":"node-a","peer_token":null},"peer_token":"secret-1"}`,
		`{"other":{"name":"node-b","peer_token":"no"},"data":{"name":"node-a"},"peer_token":"secret-1"}`,
	} {
		peer, err := answering(t, http.StatusOK, "application/json", body).Register(t.Context(), client.RegisterRequest{URL: "http://a"})
		require.NoError(t, err, body)
		assert.Equal(t, "node-a", peer.Name)
		assert.Equal(t, "secret-1", peer.PeerToken.Reveal())
	}
	_, err := answering(t, http.StatusOK, "application/json", `{"peer":{"name":"node-b"}}`).Register(t.Context(), client.RegisterRequest{URL: "http://a"})
	require.Error(t, err, "the registration of another node")
}
