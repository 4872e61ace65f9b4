package client_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

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

// badRows are rows of messages that cannot be decoded, and the text of their errors. "canary" is content.
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

// A row that cannot be decoded must not hide the others.
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
		require.EqualError(t, rows[0], "mesh: the row of node-c cannot be decoded: last_seen: got number, want string")
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
	thread, messages, err := c.GetThread(t.Context(), threadID, client.ThreadOptions{})
	require.Len(t, messages, 2)
	assert.Equal(t, threadID, thread.ID)
	assert.Equal(t, threadID, messages[1].GetThreadID())
	require.EqualError(t, err, "mesh: message 2 cannot be decoded: from_node: required field is missing")
	threads, err := c.ListThreads(t.Context(), client.ThreadQuery{})
	require.Len(t, threads, 1)
	require.EqualError(t, err, "mesh: the row of "+threadID+" cannot be decoded: peer_pair: required field is missing")
}

// A body that is no list of JSON values is not taken apart.
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
		require.EqualError(t, err, "mesh: the row of node-c cannot be decoded: last_seen: got number, want string")
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
	require.EqualError(t, err, "mesh: GET /peers: status 200: mesh: the row of node-b cannot be decoded: enabled: number is neither 0 nor 1")
}

// invalidInbox answers polls with a valid message, which is read after the first, between two invalid ones.
func invalidInbox(marked *[]string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			*marked = append(*marked, r.URL.Path)
			_, _ = w.Write([]byte("{}"))
			return
		}
		rows := []string{`{"id":9,"from_node":"node-b","content":["canary"]}`}
		if len(*marked) == 0 {
			rows = append(rows, goodRow(8))
		}
		_, _ = w.Write([]byte("[" + strings.Join(append(rows, `{"id":7,"content":"canary","created_at":7}`), ",") + "]"))
	}
}

func TestWatchYieldsAnInvalidMessageOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var marked []string
		polls := 0
		inbox := invalidInbox(&marked)
		c := inProcess(t, func(w http.ResponseWriter, r *http.Request) { polls++; inbox(w, r) })
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		var failures []string
		for m, err := range c.Watch(ctx, client.WatchOptions{}) {
			if err != nil {
				failures = append(failures, err.Error())
				continue
			}
			require.NoError(t, c.MarkRead(ctx, m.ID))
		}
		assert.Equal(t, []string{
			"mesh: message 9 cannot be decoded: content: got array, want string",
			"mesh: message 7 cannot be decoded: created_at: got number, want string",
		}, failures)
		assert.Greater(t, polls, 100, "polling does not slow down")
	})
}

func TestServeReportsAnInvalidMessageOnceAndNeverMarksIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var marked []string
		var logged bytes.Buffer
		c := inProcess(t, invalidInbox(&marked), client.WithLogger(slog.New(slog.NewTextHandler(&logged, nil))))
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		var handled []int64
		require.NoError(t, c.Serve(ctx, func(_ context.Context, m client.MeshMessage) error {
			handled = append(handled, m.ID)
			return nil
		}, client.ServeOptions{}))
		assert.Equal(t, []int64{8}, handled)
		assert.Equal(t, []string{"/messages/8/read"}, marked)
		assert.Equal(t, 1, strings.Count(logged.String(), "message 9 cannot be decoded"))
		assert.Equal(t, 1, strings.Count(logged.String(), "message 7 cannot be decoded"))
		assert.NotContains(t, logged.String(), "canary")
	})
}

// FuzzFetchBesideInvalidRows puts a value between two rows. It is a row, a row that cannot be decoded, or no JSON.
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

func TestAskBesideInvalidRows(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		thread := `{"thread_uuid":"` + threadID + `","thread_name":"n","peer_pair":"","topic":"","created_at":"","last_used_at":""}`
		polls := 0
		c := inProcess(t, func(w http.ResponseWriter, r *http.Request) {
			switch r.Method + r.URL.Path {
			case "GET/peers":
				_, _ = w.Write([]byte("[" + goodPeer("node-b") + ",null]"))
			case "POST/threads":
				_, _ = w.Write([]byte(thread))
			case "POST/messages":
				_, _ = w.Write([]byte(receipt))
			case "GET/messages":
				polls++
				answer := `,{"id":8,"from_node":"node-b","to_node":"node-a","kind":"answer","content":"yes","created_at":"","thread_id":"` + threadID + `"}`
				if polls < 5 {
					answer = ""
				}
				_, _ = w.Write([]byte(`[{"id":7,"content":7}` + answer + `]`))
			default:
				_, _ = w.Write([]byte("{}"))
			}
		})
		m, err := c.Ask(t.Context(), client.SendRequest{To: "node-b", Content: "?"})
		require.NoError(t, err)
		assert.Equal(t, int64(8), m.ID)
		polls = -100
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = c.Ask(ctx, client.SendRequest{To: "node-b", Content: "?"})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorContains(t, err, "mesh: message 7 cannot be decoded: content: got number, want string")
	})
}
