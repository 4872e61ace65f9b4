package gatewaytest_test

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
	"github.com/mesh-gateway/mesh-go/internal/test/contract"
	"github.com/mesh-gateway/mesh-go/internal/test/nettest"
)

const recordings = "../../internal/test/contract/testdata/gateway"

// The recordings come from two runs. Each session lists one run's recordings, in an order
// in which the gateway can have made them.
var firstSession = []string{
	"health",
	"register_first_time", "register_again", "register_without_url", "peers", "peers_bad_token", "peers_unauthorized",
	"send_ok", "send_with_task_id", "send_text_task_id", "send_empty_content", "send_unknown_kind", "send_unknown_thread",
	"send_idempotent_first", "send_idempotent_replay", "send_idempotent_conflict", "send_to_unregistered",
	"inbox", "inbox_unread_limit_1", "inbox_empty", "inbox_limit_too_large",
	"mark_read", "mark_read_again", "mark_read_unknown", "inbox_after_read",
}

var secondSession = []string{
	"peer_get", "peer_get_unknown", "peers_all",
	"thread_create", "thread_create_again", "thread_create_plain_name", "thread_create_empty", "thread_create_too_long",
	"threads_list", "threads_list_peer", "threads_list_limit_too_large",
	"send_in_thread", "send_in_thread_answer", unrecorded, "thread_get", "thread_get_unknown",
	"inbox_filter_from", "inbox_filter_kind", "inbox_filter_thread", "inbox_since", "inbox_without_to",
	"inbox_unread_yes", "inbox_unread_garbage", "inbox_limit_empty",
	"idempotent_key_sender_a", "idempotent_key_sender_b",
	"send_with_peer_token", "send_as_another_with_peer_token", "peers_with_peer_token",
	"register_odd_name", "register_name_too_long", "register_url_too_long", "send_from_too_long",
	"mark_read_over_int64", "send_task_id_over_int64", "unauthorized_and_invalid",
}

// unrecorded is a message in the second session whose own exchange wasn't recorded. The
// lists show it.
const unrecorded = `{"from_node":"node-c","to_node":"node-b","kind":"fyi","content":"noise"}`

type recorded struct {
	Request struct {
		Method, Path, Note string
		Body               json.RawMessage
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
	text, err := os.ReadFile(filepath.Join(recordings, name+".json"))
	require.NoError(t, err)
	var r recorded
	require.NoError(t, json.Unmarshal(text, &r))
	return r
}

// others returns the recordings that are in no session, by name. They are replayed at the
// end of the second one. If that's the wrong place for a recording, add it to a session.
func others(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(recordings, "*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	var names []string
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		if !slices.Contains(firstSession, name) && !slices.Contains(secondSession, name) {
			names = append(names, name)
		}
	}
	return names
}

func TestFirstSessionIsAnsweredAsRecorded(t *testing.T) {
	t.Parallel()
	s := start(t)
	register(s, "node-a", `"http://a","capabilities":{"runtime":"go"}`)
	register(s, "node-b", `"http://b"`)
	for range 602 { // so that the ids are the recorded ones
		s.Store("node-y", "node-z", "fyi", "before the recording")
	}
	s.replay(firstSession, "")
}

func TestSecondSessionIsAnsweredAsRecorded(t *testing.T) {
	t.Parallel()
	s := startBare(t, gatewaytest.WithToken(token))
	var tokens []string
	for _, name := range []string{"node-a", "node-b", "node-c"} {
		tokens = append(tokens, register(s, name, `"http://`+name+`:8787","capabilities":{"role":"worker"}`))
	}
	s.replay(slices.Concat(secondSession, others(t)), tokens[0])
}

func register(s *testGateway, name, rest string) (peerToken string) {
	s.t.Helper()
	r := s.call("POST", "/peers/register", `{"name":"`+name+`","url":`+rest+`}`)
	require.Equal(s.t, 200, r.Status)
	token, _ := r.Object(s.t)["peer_token"].(string)
	return token
}

// replay repeats a session's requests. Every response has the recorded status, content
// type, keys, types and values. Only generated values differ, and a time or id that two
// recorded responses share is shared here, too.
func (s *testGateway) replay(session []string, peerToken string) {
	s.t.Helper()
	var err error
	s.checker, err = contract.New("gateway") // one that has seen no operation yet
	require.NoError(s.t, err)
	alike := comparison{made: make(map[string]string)}
	for _, name := range session {
		if name == unrecorded {
			require.Equal(s.t, 200, s.call("POST", "/messages", unrecorded).Status)
			continue
		}
		r := recording(s.t, name)
		got := s.play(r, alike, authorization(name, r, peerToken))
		require.Equal(s.t, r.Response.Status, got.Status, name)
		require.Equal(s.t, r.Response.ContentType, got.Header.Get("Content-Type"), name)
		if r.Response.Body == nil {
			require.Equal(s.t, r.Response.BodyText, got.Body, name)
			continue
		}
		alike.check(s.t, name, decode(s.t, string(r.Response.Body)), decode(s.t, got.Body))
	}
}

// play sends one recorded request, with this gateway's generated values in place of the
// recorded ones.
func (s *testGateway) play(r recorded, alike comparison, headers []string) nettest.Reply {
	s.t.Helper()
	path, body := alike.translate(r.Request.Path), alike.translate(strings.TrimSuffix(string(r.Request.Body), "null"))
	if !s.described(r.Request.Method, path) {
		got, err := s.faulty(r.Request.Method, path, body, headers...)
		require.NoError(s.t, err)
		return got
	}
	got, _ := s.exchange(r.Request.Method, path, body, headers...)
	return got
}

// described reports whether specs/gateway.yaml has the operation.
func (s *testGateway) described(method, path string) bool {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, path, nil)
	require.NoError(s.t, err)
	err = s.checker.Request(contract.Exchange{Request: r})
	return err == nil || !strings.Contains(err.Error(), "no matching operation")
}

func authorization(name string, r recorded, peerToken string) []string {
	switch {
	case name == "peers_unauthorized", r.Request.Note == "no bearer":
		return []string{"Authorization", ""}
	case name == "peers_bad_token":
		return []string{"Authorization", "Bearer not.the.token"}
	case r.Request.Note != "":
		return []string{"Authorization", "Bearer " + peerToken}
	}
	return nil
}

var (
	timestamp = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?\+00:00$`)
	uuid      = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
)

// comparison maps each recorded generated text to the text that this gateway generated.
type comparison struct{ made map[string]string }

// translate replaces recorded texts in a path or body by this gateway's.
func (c comparison) translate(text string) string {
	for _, from := range slices.Sorted(maps.Keys(c.made)) {
		text = strings.ReplaceAll(text, from, c.made[from])
		text = strings.ReplaceAll(text, url.QueryEscape(from), url.QueryEscape(c.made[from]))
	}
	return text
}

func (c comparison) check(t *testing.T, where string, want, got any) {
	t.Helper()
	switch want := want.(type) {
	case map[string]any:
		object, ok := got.(map[string]any)
		require.True(t, ok, "%s: %v", where, got)
		for key := range object {
			assert.Contains(t, want, key, "%s has an unexpected key", where)
		}
		for key, value := range want {
			if assert.Contains(t, object, key, "%s: recorded, so gatewaytest has to answer it", where) {
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
		c.checkText(t, where, want, text)
	default: // null, a boolean, a number
		assert.Equal(t, want, got, where)
	}
}

func (c comparison) checkText(t *testing.T, where, want, got string) {
	t.Helper()
	switch {
	case timestamp.MatchString(want):
		assert.Regexp(t, timestamp, got, where)
	case uuid.MatchString(want):
		assert.Regexp(t, uuid, got, where)
	case strings.HasSuffix(where, ".peer_token"):
		assert.Regexp(t, `^EXAMPLE-[A-Z0-9]{20,}$`, got, where)
	case strings.HasSuffix(where, ".db_path"):
		assert.NotEmpty(t, got, where)
	default:
		assert.Equal(t, want, got, where)
		return
	}
	c.made[want] = cmp.Or(c.made[want], got)
	assert.Equal(t, c.made[want], got, "%s: %s had another value before", where, want)
}

func TestUnknownPathsAndMethodsAreRejected(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	for _, test := range []struct {
		method, path string
		status       int
		header, want string
	}{
		{"GET", "/", 404, "", ""},
		{"GET", "/nowhere", 404, "", ""},
		{"GET", "/nowhere/", 404, "", ""},
		{"GET", "/messages/1", 404, "", ""},
		{"POST", "/messages//read", 404, "", ""},
		{"DELETE", "/peers", 405, "Allow", "GET"},
		{"HEAD", "/peers", 405, "Allow", "GET"},
		{"POST", "/peers/node-a", 405, "Allow", "GET"},
		{"GET", "/messages/1/read", 405, "Allow", "POST"},
		{"PUT", "/threads", 405, "Allow", "GET"},
		{"GET", "/peers/", 307, "Location", s.URL + "/peers"},
		{"POST", "/messages/?x=1", 307, "Location", s.URL + "/messages?x=1"},
		{"POST", "/messages/1/read/", 307, "Location", s.URL + "/messages/1/read"},
	} {
		r, err := s.faulty(test.method, test.path, "")
		require.NoError(t, err)
		assert.Equal(t, test.status, r.Status, "%s %s", test.method, test.path)
		if test.header != "" {
			assert.Equal(t, test.want, r.Header.Get(test.header), test.path)
		}
	}
}
