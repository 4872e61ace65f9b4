package gatewaytest_test

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/internal/test/contract"
)

// session lists the recordings of one gateway in an order in which it can have answered them. health and the lists depend on
// what came before; 602 older messages make the ids the same. A recording of a newer gateway does not belong in here.
var session = []string{
	"health",
	"register_first_time", "register_again", "register_without_url", "peers", "peers_bad_token", "peers_unauthorized",
	"send_ok", "send_with_task_id", "send_text_task_id", "send_empty_content", "send_unknown_kind", "send_unknown_thread",
	"send_idempotent_first", "send_idempotent_replay", "send_idempotent_conflict", "send_to_unregistered",
	"inbox", "inbox_unread_limit_1", "inbox_empty", "inbox_limit_too_large",
	"mark_read", "mark_read_again", "mark_read_unknown", "inbox_after_read",
}

// wrong names the recordings whose request breaks the contract on purpose.
var wrong = []string{"inbox_limit_too_large", "peers_unauthorized", "send_empty_content", "send_unknown_kind"}

type recorded struct {
	Request struct {
		Method, Path string
		Body         json.RawMessage
	}
	Response struct {
		Status      int
		ContentType string `json:"content_type"`
		Body        json.RawMessage
		BodyText    string `json:"body_text"`
	}
}

func recording(t *testing.T, name string) recorded {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "internal", "test", "contract", "testdata", "gateway", name+".json"))
	require.NoError(t, err)
	var r recorded
	require.NoError(t, json.Unmarshal(text, &r))
	return r
}

// The whole recorded session is played again: every answer has the same status, content type, keys, types and values.
// Only what a gateway makes up itself may differ, and a time that two recorded answers share must be shared here as well.
func TestGatewayAnswersAsTheRecordedOne(t *testing.T) {
	t.Parallel()
	s := start(t)
	var err error
	s.checker, err = contract.New("gateway") // one that has seen nothing yet
	require.NoError(t, err)
	require.Equal(t, 200, s.call("POST", "/peers/register", `{"name":"node-a","url":"http://a","capabilities":{"runtime":"go"}}`).status)
	require.Equal(t, 200, s.call("POST", "/peers/register", `{"name":"node-b","url":"http://b"}`).status)
	for range 602 {
		s.Store("node-y", "node-z", "fyi", "before the recording")
	}
	alike := comparison{made: make(map[string]string)}
	for _, name := range session {
		r := recording(t, name)
		headers := map[string][]string{
			"peers_unauthorized": {"Authorization", ""},
			"peers_bad_token":    {"Authorization", "Bearer not.the.token"},
		}[name]
		got, err := s.exchange(r.Request.Method, r.Request.Path, strings.TrimSuffix(string(r.Request.Body), "null"), headers...)
		assert.Equal(t, slices.Contains(wrong, name), err != nil, "%s: %v", name, err)
		require.Equal(t, r.Response.Status, got.status, name)
		require.Equal(t, r.Response.ContentType, got.header.Get("Content-Type"), name)
		if r.Response.Body == nil {
			require.Equal(t, r.Response.BodyText, got.body, name)
			continue
		}
		alike.check(t, name, decode(t, string(r.Response.Body)), decode(t, got.body))
	}
	// The in-memory gateway does not have these operations yet.
	assert.Equal(t, []string{"getPeer", "getThread", "listThreads", "openThread"}, s.checker.Unexercised())
}

var timestamp = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?\+00:00$`)

// comparison remembers what stands for each recorded text that the gateway makes up.
type comparison struct{ made map[string]string }

func (c comparison) check(t *testing.T, where string, want, got any) {
	t.Helper()
	switch want := want.(type) {
	case map[string]any:
		object, ok := got.(map[string]any)
		require.True(t, ok, "%s: %v", where, got)
		for key := range object {
			assert.Contains(t, want, key, "%s has a key too many", where)
		}
		for key, value := range want {
			if assert.Contains(t, object, key, where) {
				c.check(t, where+"."+key, value, object[key])
			}
		}
	case []any:
		list, ok := got.([]any)
		require.True(t, ok, "%s: %v", where, got)
		require.Len(t, list, len(want), where)
		for i := range want {
			c.check(t, where+"."+strconv.Itoa(i), want[i], list[i])
		}
	case string:
		text, ok := got.(string)
		require.True(t, ok, "%s: %v", where, got)
		switch {
		case timestamp.MatchString(want):
			assert.Regexp(t, timestamp, text, where)
		case strings.HasSuffix(where, ".peer_token"):
			assert.Regexp(t, `^EXAMPLE-[A-Z0-9]{20,}$`, text, where)
		case strings.HasSuffix(where, ".db_path"):
			assert.NotEmpty(t, text, where)
		default:
			assert.Equal(t, want, text, where)
			return
		}
		c.made[want] = cmp.Or(c.made[want], text)
		assert.Equal(t, c.made[want], text, "%s: %s stood for something else before", where, want)
	default: // null, a boolean, a number
		assert.Equal(t, want, got, where)
	}
}
