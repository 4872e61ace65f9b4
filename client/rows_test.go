package client_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
)

// goodRow and goodPeer are rows that can be decoded.
func goodRow(id int) string {
	return fmt.Sprintf(`{"id":%d,"from_node":"node-b","to_node":"node-a","kind":"fyi","content":"a < b, [\"}","created_at":"2026-11-21","x":{"<":[1]}}`, id)
}

func goodPeer(name string) string {
	return fmt.Sprintf(`{"name":%q,"capabilities":{"a":[1,{}]}}`, name)
}

// badRows are undecodable message rows, and their errors' text. "canary" is content.
var badRows = map[string]string{
	`{"id":8,"from_node":"canary","kind":"fyi","created_at":""}`:                               "mesh: message 8 cannot be decoded: to_node: required field is missing",
	`{"id":8,"from_node":"b","to_node":"a","kind":"fyi","created_at":"","content":["canary"]}`: "mesh: message 8 cannot be decoded: content: got array, want string",
	`{"from_node":"b","to_node":"a","kind":"fyi","created_at":7,"content":"canary","id":8}`:    "mesh: message 8 cannot be decoded: created_at: got number, want string",
	`{"id":"canary","from_node":"b","to_node":"a","kind":"fyi","created_at":""}`:               "mesh: a row without a valid id or name cannot be decoded: id: got string, want number",
	`null`:                   "mesh: a row without a valid id or name cannot be decoded: null where a value is required",
	`["canary",{"id":8},[]]`: "mesh: a row without a valid id or name cannot be decoded: got array, want object",
	`"canary ] , {"`:         "mesh: a row without a valid id or name cannot be decoded: got string, want object",
	`{"id":8,"x":` + long("[", 20_000) + long("]", 20_000) + `}`: "mesh: a row without a valid id or name cannot be decoded: (unknown field): depth: maximum",
}

// rowErrorsOf returns the RowErrors that are joined in err.
func rowErrorsOf(t *testing.T, err error) (rows []*client.RowError) {
	t.Helper()
	joined, ok := err.(interface{ Unwrap() []error })
	require.True(t, ok, "%v", err)
	for _, part := range joined.Unwrap() {
		var row *client.RowError
		require.ErrorAs(t, part, &row)
		require.ErrorIs(t, part, client.ErrMesh)
		rows = append(rows, row)
	}
	return rows
}

// An undecodable row must not hide the others.
func TestListsReturnTheRowsBesideInvalidOnes(t *testing.T) {
	t.Parallel()
	for bad, want := range badRows {
		for _, list := range []string{"[%s]", ` {"n":1, "messages" : [ %s ] ,"x":["]"]}`, "\n{\"other\":[7],\"messages\":[%s]}\n"} {
			body := fmt.Sprintf(list, strings.Join([]string{goodRow(3), bad, goodRow(2), bad, goodRow(1)}, " , "))
			messages, err := answering(t, 200, "application/json", body).Fetch(t.Context(), client.FetchOptions{})
			require.Len(t, messages, 3, body)
			whole, wholeErr := answering(t, 200, "application/json", "["+goodRow(3)+","+goodRow(2)+","+goodRow(1)+"]").Fetch(t.Context(), client.FetchOptions{})
			require.NoError(t, wholeErr)
			assert.Equal(t, whole, messages)
			rows := rowErrorsOf(t, err)
			require.Len(t, rows, 2)
			assert.EqualError(t, rows[1], want)
			assert.NotContains(t, fmt.Sprintf("%v %+v %#v", err, rows[0], rows[1]), "canary")
		}
	}
}

func TestAListWithoutAValidRowIsAnError(t *testing.T) {
	t.Parallel()
	for bad, want := range badRows {
		messages, err := answering(t, 200, "application/json", "["+bad+","+bad+"]").Fetch(t.Context(), client.FetchOptions{})
		assert.Nil(t, messages)
		failed := gatewayError(t, err)
		assert.Equal(t, 200, failed.StatusCode)
		assert.Empty(t, failed.Body, "content of a row")
		var row *client.RowError
		require.ErrorAs(t, err, &row)
		require.EqualError(t, row, want)
		assert.NotContains(t, fmt.Sprintf("%v %+v", err, failed), "canary")
	}
}

func TestPeersBesideInvalidOnes(t *testing.T) {
	t.Parallel()
	bad := `{"name":"node-c","last_seen":1790000000,"url":"canary"}`
	for _, list := range []string{"[%s]", `{"peers":[%s]}`} {
		body := fmt.Sprintf(list, strings.Join([]string{goodPeer("node-b"), bad, `{"url":"x"}`, goodPeer("node-d")}, ","))
		peers, err := answering(t, 200, "application/json", body).ListPeers(t.Context())
		require.Len(t, peers, 2)
		assert.Equal(t, "node-d", peers[1].Name)
		rows := rowErrorsOf(t, err)
		require.Len(t, rows, 2)
		assert.Equal(t, "node-c", rows[0].Name)
		require.EqualError(t, rows[0], "mesh: the row for node-c cannot be decoded: last_seen: got number, want string")
		require.EqualError(t, rows[1], "mesh: a row without a valid id or name cannot be decoded: name: required field is missing")
	}
}

func TestThreadsBesideInvalidOnes(t *testing.T) {
	t.Parallel()
	good := `{"thread_uuid":"` + threadID + `","thread_name":"n","peer_pair":"","topic":"","created_at":"","last_used_at":""}`
	c := serving(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, threadID) {
			_, _ = w.Write([]byte(`{"thread":` + good + `,"messages":[` + goodRow(1) + `,{"id":2,"canary":1},` + goodRow(3) + `]}`))
			return
		}
		_, _ = w.Write([]byte(`{"threads":[` + good + `,{"thread_uuid":"` + threadID + `","thread_name":"canary"}]}`))
	})
	thread, messages, err := c.GetThread(t.Context(), threadID, client.GetThreadOptions{})
	require.Len(t, messages, 2)
	assert.Equal(t, threadID, thread.ID)
	assert.Equal(t, threadID, messages[1].GetThreadID())
	require.EqualError(t, err, "mesh: message 2 cannot be decoded: from_node: required field is missing")
	threads, err := c.ListThreads(t.Context(), client.ListThreadsOptions{})
	require.Len(t, threads, 1)
	require.EqualError(t, err, "mesh: the row for "+threadID+" cannot be decoded: peer_pair: required field is missing")
}

// A body that isn't a list of JSON values isn't taken apart.
func TestABrokenListIsNotTakenApart(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`[` + goodRow(1) + `,{"id":2]`, `[` + goodRow(1) + `,x,{}]`, `[` + goodRow(1) + `,{}`, `[` + goodRow(1) + `,{}] x`, `[` + goodRow(1) + `,,{}]`,
		`{"messages":[` + goodRow(1) + `,{}],"n":"x"}`, `{"m":[` + goodRow(1) + `,{}]}`, `[` + goodRow(1) + `,{}][` + goodRow(1) + `]`,
	} {
		messages, err := answering(t, 200, "application/json", body).Fetch(t.Context(), client.FetchOptions{})
		assert.Nil(t, messages, body)
		assert.Equal(t, 200, gatewayError(t, err).StatusCode, body)
	}
}

// Names are redacted as in other errors.
func TestTheNameOfAnInvalidRowIsRedacted(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{token: "[REDACTED]", long("canary", 20): "[REDACTED]", "Node_C": "Node_C", "": ""} {
		body := fmt.Sprintf(`[%s,{"name":%q,"last_seen":7}]`, goodPeer("node-b"), name)
		_, err := answering(t, 200, "application/json", body).ListPeers(t.Context())
		assert.Equal(t, want, rowErrorsOf(t, err)[0].Name)
	}
}

func TestSendBesideAnInvalidPeer(t *testing.T) {
	t.Parallel()
	requests := map[string]int{}
	c := inProcess(t, func(w http.ResponseWriter, r *http.Request) {
		requests[r.Method]++
		if r.Method == http.MethodPost {
			_, _ = w.Write([]byte(receipt))
			return
		}
		_, _ = w.Write([]byte(`[` + goodPeer("node-b") + `,{"name":"node-c","last_seen":7},{"name":7},{"name":"node-b","enabled":"x"}]`))
	})
	for range 5 {
		_, err := c.Send(t.Context(), hello("node-b"))
		require.NoError(t, err)
	}
	assert.Equal(t, map[string]int{"GET": 1, "POST": 5}, requests, "the registry is cached")
	for range 2 {
		_, err := c.Send(t.Context(), hello("node-c"))
		var row *client.RowError
		require.ErrorAs(t, err, &row)
		require.EqualError(t, err, "mesh: the row for node-c cannot be decoded: last_seen: got number, want string")
	}
	_, err := c.Send(t.Context(), hello("node-x"))
	var unknown *client.NotInRegistryError
	require.ErrorAs(t, err, &unknown)
	assert.Equal(t, 5, requests["POST"])
}

func TestSendWithARegistryOfInvalidPeersOnly(t *testing.T) {
	t.Parallel()
	_, err := answering(t, 200, "application/json", `[{"name":"node-b","enabled":2}]`).Send(t.Context(), hello("node-b"))
	assert.Equal(t, 200, gatewayError(t, err).StatusCode)
	require.EqualError(t, err, "mesh: GET /peers: status 200: mesh: the row for node-b cannot be decoded: enabled: number is neither 0 nor 1")
}

// FuzzFetchBesideInvalidRows puts a value between two rows: a row, an undecodable row, or
// something that isn't JSON.
func FuzzFetchBesideInvalidRows(f *testing.F) {
	for bad := range badRows {
		f.Add(bad)
	}
	f.Add(goodRow(8))
	f.Add(`{"id":8},{"id":9`)
	f.Add(`],[`)
	f.Add("{\"id\":\xff}")
	f.Fuzz(func(t *testing.T, row string) {
		for _, list := range []string{"[%s,%s,%s]", `{"messages":[%s,%s,%s],"n":3}`} {
			body := fmt.Sprintf(list, goodRow(1), row, goodRow(2))
			c := inProcess(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) })
			messages, err := c.Fetch(t.Context(), client.FetchOptions{ToNode: "node-b"})
			if !json.Valid([]byte(row)) {
				require.True(t, err != nil || json.Valid([]byte(body)), "%q", row)
				continue
			}
			require.GreaterOrEqual(t, len(messages), 2, "%q %v", row, err)
			require.Equal(t, len(messages) == 2, err != nil)
			assert.Equal(t, int64(1), messages[0].ID)
			assert.Equal(t, int64(2), messages[len(messages)-1].ID)
		}
	})
}

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
	threads, err := m.ListThreads(ctx, client.ListThreadsOptions{})
	require.ErrorIs(t, err, client.ErrIncomplete)
	assert.Len(t, threads, 1)
	_, messages, err := m.GetThread(ctx, "u", client.GetThreadOptions{})
	require.ErrorIs(t, err, client.ErrIncomplete)
	assert.Len(t, messages, 1)

	_, err = m.Send(ctx, client.SendRequest{To: "node-z", Kind: client.KindFYI, Content: "x"})
	require.NoError(t, err, "a peer that is not in an incomplete list is looked up alone")
}

// One line in a stream of JSON values would be taken for the whole response.
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
