package gatewaytest_test

import (
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
	"github.com/mesh-gateway/mesh-go/internal/test/nettest"
)

func TestReceiptHasNoContentButInboxHas(t *testing.T) {
	t.Parallel()
	s := start(t)
	receipt := s.call("POST", "/messages", message("hello <b>")).Object(t)
	assert.NotContains(t, receipt, "content")
	assert.Equal(t, json.Number("1"), receipt["id"])
	inbox := s.inbox("node-b")
	assert.Equal(t, []any{"hello <b>"}, nettest.Column(inbox, "content"))
	for field, value := range receipt {
		assert.Equal(t, value, inbox[0][field], field)
	}
	assert.Regexp(t, timestamp, receipt["created_at"])
}

func TestInboxIsNewestFirstAndLimited(t *testing.T) {
	t.Parallel()
	s := start(t)
	for i := range 1100 {
		s.Store("node-a", "node-b", "fyi", strconv.Itoa(i+1))
	}
	for query, want := range map[string]int{"": 100, "&limit=1": 1, "&limit=250": 250, "&limit=1000": 1000} {
		r := s.call("GET", "/messages?to=node-b"+query, "")
		rows := r.Rows(t, "messages")
		assert.Len(t, rows, want, query)
		assert.Equal(t, json.Number(strconv.Itoa(want)), r.Object(t)["n"], "n counts the rows of this answer")
		for i, row := range rows {
			assert.Equal(t, strconv.Itoa(1100-i), row["content"])
		}
	}
}

func TestInvalidLimitsAreRejected(t *testing.T) {
	t.Parallel()
	s := start(t)
	for limit, want := range map[string]string{
		"0":                    `"type":"greater_than_equal","loc":["query","limit"],"msg":"Input should be greater than or equal to 1","input":"0","ctx":{"ge":1}`,
		"-1":                   `"type":"greater_than_equal","loc":["query","limit"],"msg":"Input should be greater than or equal to 1","input":"-1","ctx":{"ge":1}`,
		"1001":                 `"type":"less_than_equal","loc":["query","limit"],"msg":"Input should be less than or equal to 1000","input":"1001","ctx":{"le":1000}`,
		"":                     `"type":"int_parsing","loc":["query","limit"],"msg":"Input should be a valid integer, unable to parse string as an integer","input":""`,
		"99999999999999999999": `"type":"less_than_equal","loc":["query","limit"],"msg":"Input should be less than or equal to 1000","input":"99999999999999999999","ctx":{"le":1000}`,
		"many":                 `"type":"int_parsing","loc":["query","limit"],"msg":"Input should be a valid integer, unable to parse string as an integer","input":"many"`,
	} {
		r := s.refused("GET", "/messages?to=node-b&limit="+limit, "")
		assert.Equal(t, 422, r.Status, limit)
		assert.JSONEq(t, `{"detail":[{`+want+`}]}`, r.Body)
	}
}

func TestReadStateIsSetOnce(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, content := range []string{"one", "two", "three"} {
		s.Store("node-a", "node-b", "fyi", content)
	}
	assert.Equal(t, []any{nil, nil, nil}, nettest.Column(s.inbox("node-b"), "read_at"), "reading the inbox marks nothing")
	read := s.call("POST", "/messages/2/read", "").Object(t)
	assert.Equal(t, json.Number("2"), read["id"])
	assert.Regexp(t, timestamp, read["read_at"])

	for _, id := range []string{"2", "4", "99999999"} {
		r := s.call("POST", "/messages/"+id+"/read", "")
		assert.Equal(t, 404, r.Status, id)
		assert.JSONEq(t, `{"detail":"message not found or already read"}`, r.Body)
	}
	assert.Equal(t, []any{nil, read["read_at"], nil}, nettest.Column(s.inbox("node-b"), "read_at"), "the first time is kept")

	unread := func(query string) []any {
		return nettest.Column(s.call("GET", "/messages?to=node-b"+query, "").Rows(t, "messages"), "content")
	}
	assert.Equal(t, []any{"three", "one"}, unread("&unread_only=true"))
	assert.Equal(t, []any{"three", "one"}, unread("&unread_only=true&limit=2"), "the limit counts unread messages")
	assert.Equal(t, []any{"three", "two", "one"}, unread("&unread_only=false"))
}

func TestInvalidMessageIDsAreRejected(t *testing.T) {
	t.Parallel()
	s := start(t)
	for id, status := range map[string]int{"x": 422, "1.5": 422, "0": 404, "-1": 404, "9223372036854775808": 500} {
		assert.Equal(t, status, s.refused("POST", "/messages/"+id+"/read", "").Status, id)
	}
}

// The parameter is to. The current gateway reads to_node as well, older ones ignore it.
func TestQueryWithoutToListsTheMessagesOfAllNodes(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.Store("node-a", "node-b", "fyi", "for b")
	s.Store("node-b", "node-a", "fyi", "for a")
	assert.Equal(t, []any{"for b"}, nettest.Column(s.inbox("node-b"), "content"))
	assert.Equal(t, []any{"for a", "for b"}, nettest.Column(s.call("GET", "/messages", "").Rows(t, "messages"), "content"))
	assert.Equal(t, []any{"for a", "for b"}, nettest.Column(s.refused("GET", "/messages?to_node=node-b", "").Rows(t, "messages"), "content"))
	assert.Equal(t, []any{"for b"}, nettest.Column(s.call("GET", "/messages?from=node-a", "").Rows(t, "messages"), "content"))
	before := s.peers()
	for _, query := range []string{"?to=", "?to=&from=&from_node=&kind=&thread_id=&since=&channel="} {
		r, err := s.faulty("GET", "/messages"+query, "")
		require.NoError(t, err)
		assert.Equal(t, []any{"for a", "for b"}, nettest.Column(r.Rows(t, "messages"), "content"), "an empty parameter filters nothing: %s", query)
	}
	assert.Equal(t, before, s.peers(), "no node has read its inbox")
}

func TestTaskIDIsANumberInTheInbox(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.call("POST", "/messages", message("text", `,"related_task_id":"9007199254740993"`))
	s.refused("POST", "/messages", message("number", `,"related_task_id":42`)) // the gateway accepts it, the document does not describe it
	s.refused("POST", "/messages", message("null", `,"related_task_id":null`))
	s.call("POST", "/messages", message("none"))
	assert.Equal(t, []any{nil, nil, json.Number("42"), json.Number("9007199254740993")}, nettest.Column(s.inbox("node-b"), "related_task_id"))

	for _, id := range []string{"task-1", "4.2", "", "0x10"} {
		r := s.call("POST", "/messages", message("x", `,"related_task_id":"`+id+`"`))
		assert.Equal(t, 422, r.Status, id)
		assert.JSONEq(t, `{"detail":[{"type":"int_parsing","loc":["body","related_task_id"],"input":"`+id+
			`","msg":"Input should be a valid integer, unable to parse string as an integer"}]}`, r.Body)
	}
	for _, id := range []string{"9223372036854775808", "-9223372036854775809", "99999999999999999999"} {
		r := s.call("POST", "/messages", message("x", `,"related_task_id":"`+id+`"`))
		assert.Equal(t, 500, r.Status, id)
		assert.Equal(t, "Internal Server Error", r.Body)
	}
	assert.Len(t, s.inbox("node-b"), 4)
}

func TestUnknownThreadsFail(t *testing.T) {
	t.Parallel()
	s := start(t, gatewaytest.WithThreads("t-1", "t-2"))
	for _, thread := range []string{"t-1", "t-2"} {
		assert.Equal(t, thread, s.call("POST", "/messages", message("x", `,"thread_id":"`+thread+`"`)).Object(t)["thread_id"])
	}
	assert.Equal(t, []any{"t-2", "t-1"}, nettest.Column(s.inbox("node-b"), "thread_id"))
	r := s.call("POST", "/messages", message("x", `,"thread_id":"t-3"`))
	assert.Equal(t, 500, r.Status)
	assert.Equal(t, "Internal Server Error", r.Body)
	assert.Equal(t, "text/plain; charset=utf-8", r.Header.Get("Content-Type"))
	assert.Len(t, s.inbox("node-b"), 2)
}

func TestInvalidMessagesAreRejectedAndNotStored(t *testing.T) {
	t.Parallel()
	s := start(t)
	for name, test := range map[string]struct {
		body   string
		status int
		want   string
	}{
		"kind":       {strings.Replace(message("x"), "fyi", "FYI", 1), 400, `"detail":"kind must be one of ['answer', 'fyi', 'question', 'status', 'unblock']"`},
		"from_node":  {`{"to_node":"b","kind":"fyi","content":"x"}`, 422, `"loc":["body","from_node"],"msg":"Field required"`},
		"nobody":     {`{"from_node":"a","kind":"fyi","content":"x"}`, 400, `{"detail":"exactly one of {to_node, channel} is required"}`},
		"null":       {strings.Replace(message("x"), `"node-b"`, "null", 1), 400, `{"detail":"exactly one of {to_node, channel} is required"}`},
		"both":       {message("x", `,"channel":"ops"`), 400, `{"detail":"exactly one of {to_node, channel} is required"}`},
		"kind first": {strings.Replace(message("x", `,"channel":"ops"`), "fyi", "FYI", 1), 400, `kind must be one of`},
		"channel":    {strings.Replace(message("x"), "to_node", "channel", 1), 404, `{"detail":"channel 'node-b' not found"}`},
		"with a key": {strings.Replace(message("x", `,"idempotency_key":"k"`), "to_node", "channel", 1), 400, `{"detail":"idempotency_key is supported for DMs only"}`},
		"channel 1":  {message("x", `,"channel":1`), 422, `"type":"string_type","loc":["body","channel"]`},
		"no channel": {message("x", `,"channel":""`), 422, `"type":"string_too_short","loc":["body","channel"]`},
		"mentions":   {message("x", `,"mentions":"node-b"`), 422, `{"type":"list_type","loc":["body","mentions"],"msg":"Input should be a valid list","input":"node-b"}`},
		"long name":  {strings.Replace(message("x"), "node-b", strings.Repeat("n", 65), 1), 422, `"loc":["body","to_node"],"msg":"String should have at most 64 characters"`},
		"empty name": {strings.Replace(message("x"), "node-a", "", 1), 422, `"loc":["body","from_node"],"msg":"String should have at least 1 character"`},
		"not a text": {`{"from_node":1,"to_node":"b","kind":"fyi","content":null}`, 422, `"msg":"Input should be a valid string","input":1},{"type":"string_type","loc":["body","content"]`},
		"no kind":    {`{"from_node":"a","to_node":"b","content":"x"}`, 422, `"loc":["body","kind"],"msg":"Field required"`},
		"no content": {`{"from_node":"a","to_node":"b","kind":"fyi"}`, 422, `"loc":["body","content"],"msg":"Field required"`},
		"empty":      {message(""), 422, `"type":"string_too_short"`},
		"too long":   {message(strings.Repeat("é", 200_001)), 422, `"ctx":{"max_length":200000}`},
	} {
		r, err := s.faulty("POST", "/messages", test.body)
		require.NoError(t, err)
		assert.Equal(t, test.status, r.Status, name)
		assert.Contains(t, r.Body, test.want, name)
	}
	assert.Empty(t, s.inbox("node-b"))
	for _, rest := range []string{`,"channel":null,"mentions":null`, `,"mentions":[1,"node-b"]`} {
		r, err := s.faulty("POST", "/messages", message("ignored", rest))
		require.NoError(t, err)
		assert.Equal(t, 200, r.Status, rest)
	}
	assert.Equal(t, 200, s.call("POST", "/messages", message(strings.Repeat("é", 200_000))).Status, "characters are counted, not bytes")
}

// A real inbox may contain messages that the current rules forbid.
func TestStoreDoesNotValidate(t *testing.T) {
	t.Parallel()
	s := start(t)
	assert.Equal(t, int64(1), s.Store("Old Name", "node-b", "review_request", ""))
	assert.Equal(t, int64(2), s.Store("node-a", "node-b", "", "second"))
	inbox := s.inbox("node-b")
	assert.Equal(t, []any{"", "review_request"}, nettest.Column(inbox, "kind"))
	assert.Equal(t, []any{"second", ""}, nettest.Column(inbox, "content"))
	assert.Equal(t, []any{"node-a", "Old Name"}, nettest.Column(inbox, "from_node"))
}

func TestBareArrays(t *testing.T) {
	t.Parallel()
	s := start(t, gatewaytest.WithBareArrays())
	s.Store("node-a", "node-b", "fyi", "hello")
	messages, ok := decode(t, s.call("GET", "/messages?to=node-b", "").Body).([]any)
	assert.True(t, ok)
	assert.Len(t, messages, 1)
	peers, ok := decode(t, s.call("GET", "/peers", "").Body).([]any)
	assert.True(t, ok)
	assert.Len(t, peers, 2)
	assert.JSONEq(t, `[]`, s.call("GET", "/messages?to=nobody", "").Body)
}

func TestFiltersOfTheInbox(t *testing.T) {
	t.Parallel()
	s := start(t)
	thread := s.call("POST", "/threads", `{"thread_name":"node-a↔node-b:builds"}`).Object(t)["thread_uuid"].(string)
	s.call("POST", "/messages", message("one", `,"thread_id":"`+thread+`"`))
	second := s.call("POST", "/messages", strings.Replace(message("two"), "fyi", "question", 1)).Object(t)
	s.Store("node-c", "node-b", "fyi", "three")
	s.call("POST", "/messages/1/read", "")
	for query, want := range map[string][]any{
		"":                                {"three", "two", "one"},
		"&from=node-c":                    {"three"},
		"&from_node=node-c":               {"three"},
		"&from=node-a&from_node=node-c":   {"two", "one"},
		"&from=&from_node=node-c":         {"three"},
		"&from=&kind=&thread_id=&since=":  {"three", "two", "one"},
		"&from=node-a&kind=question":      {"two"},
		"&thread_id=" + thread:            {"one"},
		"&thread_id=unknown":              {},
		"&kind=review":                    {},
		"&limit=1&from=node-a":            {"two"},
		"&unread_only=YES":                {"three", "two"},
		"&unread_only=t&from=node-a":      {"two"},
		"&unread_only=off":                {"three", "two", "one"},
		"&since=1999":                     {"three", "two", "one"},
		"&since=9999":                     {},
		"&since=%2B":                      {"three", "two", "one"},
		"&from=node-a&unread_only=0&to=x": {"two", "one"},
	} {
		r, _ := s.exchange("GET", "/messages?to=node-b"+query, "")
		assert.Equal(t, want, nettest.Column(r.Rows(t, "messages"), "content"), query)
	}
	later := s.call("GET", "/messages?to=node-b&since="+url.QueryEscape(second["created_at"].(string)), "").Rows(t, "messages")
	assert.NotContains(t, nettest.Column(later, "content"), "two", "only later messages")
	r := s.refused("GET", "/messages?to=node-b&unread_only=maybe&limit=x", "")
	assert.Equal(t, 422, r.Status)
	assert.Len(t, r.Rows(t, "detail"), 2, "every invalid parameter is listed")
}

func TestReadingAnInboxMovesLastSeenOfItsNode(t *testing.T) {
	t.Parallel()
	s := start(t)
	before := s.peers()
	s.inbox("node-b")
	after := s.peers()
	assert.Equal(t, before[0]["last_seen"], after[0]["last_seen"])
	assert.Greater(t, after[1]["last_seen"], before[1]["last_seen"])
}
