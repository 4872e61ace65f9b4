package gatewaytest_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
	"github.com/mesh-gateway/mesh-go/internal/test/nettest"
)

func (s *testGateway) openThread(body string) map[string]any {
	s.t.Helper()
	return s.call("POST", "/threads", body).Object(s.t)
}

func TestThreadOfANameIsCreatedOnce(t *testing.T) {
	t.Parallel()
	s := start(t)
	first := s.openThread(`{"thread_name":"node-a↔node-b:builds","session_id":"s-1"}`)
	again := s.openThread(`{"thread_name":"node-a↔node-b:builds","session_id":"s-2"}`)
	other := s.openThread(`{"thread_name":"node-a↔node-b:prices"}`)
	assert.Equal(t, true, first["created"])
	assert.Equal(t, false, again["created"])
	assert.Equal(t, first["thread_uuid"], again["thread_uuid"])
	assert.Equal(t, "s-2", again["session_id"], "the new session replaces the old one")
	for _, rest := range []string{"", `,"session_id":""`} {
		again = s.openThread(`{"thread_name":"node-a↔node-b:builds"` + rest + `}`)
		assert.Equal(t, "s-2", again["session_id"], "no session keeps the old one")
	}
	assert.Greater(t, again["last_used_at"], first["last_used_at"])
	assert.NotEqual(t, first["thread_uuid"], other["thread_uuid"])
	assert.Nil(t, other["session_id"])
}

func TestThreadsAreListedNewestUsedFirst(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.openThread(`{"thread_name":"node-a↔node-b:builds","session_id":"s-1"}`)
	s.openThread(`{"thread_name":"node-b↔node-c:builds"}`)
	s.openThread(`{"thread_name":"plain"}`)
	s.openThread(`{"thread_name":"node-a↔node-b:builds"}`)
	s.openThread(`{"thread_name":" node-d <-> node-e : 100% of_it: "}`)
	s.openThread(`{"thread_name":" plain "}`)
	const ab, bc, de, plain, spaced = "node-a↔node-b:builds", "node-b↔node-c:builds", " node-d <-> node-e : 100% of_it: ", "plain", " plain "
	for query, want := range map[string][]any{
		"":                              {spaced, de, ab, plain, bc},
		"?peer=&topic=&session_id=":     {spaced, de, ab, plain, bc},
		"?peer=node-b":                  {ab, bc},
		"?peer=NODE-B":                  {ab, bc},
		"?peer=node":                    {de, ab, bc},
		"?peer=node-_%E2%86%94":         {ab, bc},
		"?peer=a%25b":                   {ab},
		"?peer=b%25a":                   {},
		"?peer=e+":                      {},
		"?peer=+plain":                  {spaced},
		"?peer=node-a":                  {ab},
		"?topic=builds":                 {ab, bc},
		"?topic=uild":                   {ab, bc},
		"?topic=BUILD%25&peer=node-c":   {bc},
		"?topic=100%25+of_it:":          {de},
		"?topic=100%25+of_it:_":         {},
		"?topic=%25":                    {spaced, de, ab, plain, bc},
		"?topic=_":                      {de, ab, bc},
		"?topic=builds&limit=1":         {ab},
		"?session_id=s-1":               {ab},
		"?session_id=S-1":               {},
		"?session_id=s-":                {},
		"?peer=plain&limit=100":         {spaced, plain},
		"?peer=node-c&topic=x":          {},
		"?peer=node-c&topic=&limit=100": {bc},
	} {
		r, _ := s.exchange("GET", "/threads"+query, "")
		assert.Equal(t, want, nettest.Column(r.Rows(t, "threads"), "thread_name"), query)
	}
}

// Without a limit 50 threads are listed. Those that were used at the same time are sorted
// by name.
func TestThreadsAreListedUpToALimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // all threads have one time
		var names []string
		for i := range 101 {
			names = append(names, fmt.Sprintf("thread-%03d", (i*37)%101))
		}
		g := gatewaytest.New(t, gatewaytest.WithThreads(names...))
		slices.Sort(names)
		for query, want := range map[string]int{"": 50, "?limit=51": 51, "?limit=100": 100} {
			w := httptest.NewRecorder()
			g.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/threads"+query, nil))
			var list struct {
				Threads []struct {
					Name string `json:"thread_name"`
				}
			}
			require.NoError(t, json.Unmarshal(w.Body.Bytes(), &list))
			var got []string
			for _, thread := range list.Threads {
				got = append(got, thread.Name)
			}
			assert.Equal(t, names[:want], got, query)
		}
	})
}

func TestMessagesOfAThreadAreOldestFirst(t *testing.T) {
	t.Parallel()
	s := start(t, gatewaytest.WithThreads("t-1"))
	for i := range 102 {
		s.call("POST", "/messages", message(strconv.Itoa(i), `,"thread_id":"t-1"`))
	}
	s.call("POST", "/messages", message("not in the thread"))
	for query, want := range map[string]int{"": 100, "?limit=1": 1, "?limit=1000": 102} {
		rows := s.call("GET", "/threads/t-1"+query, "").Rows(t, "messages")
		assert.Len(t, rows, want, query)
		assert.Equal(t, "0", rows[0]["content"])
		assert.NotContains(t, rows[0], "thread_id")
	}
	assert.Equal(t, 404, s.call("GET", "/threads/t-2", "").Status)
	assert.Equal(t, 422, s.refused("GET", "/threads/t-1?limit=1001", "").Status)
}

func TestPairAndTopicAreTrimmed(t *testing.T) {
	t.Parallel()
	s := start(t)
	for name, want := range map[string][2]string{
		" node-a↔node-b :  builds: nightly ": {"node-a↔node-b", "builds: nightly"},
		" plain ":                            {" plain ", ""},
	} {
		got := s.openThread(`{"thread_name":"` + name + `"}`)
		assert.Equal(t, name, got["thread_name"])
		assert.Equal(t, want, [2]string{got["peer_pair"].(string), got["topic"].(string)})
	}
}
