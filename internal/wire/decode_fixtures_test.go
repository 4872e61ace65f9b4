package wire_test

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/gen/gateway"
)

func TestRecordedPeers(t *testing.T) {
	t.Parallel()
	var list gateway.PeerList
	require.NoError(t, list.UnmarshalJSON(recorded(t, "peers")))
	require.Len(t, list.Peers, 3)
	p := list.Peers[2]
	assert.Equal(t, "node-c", p.Name)
	assert.Equal(t, "http://node-c:8787", *p.URL)
	assert.True(t, p.Enabled, "sent as the number 1")
	assert.Equal(t, map[string]any{"runtime": "go", "can_claim_tasks": true, "max_jobs": json.Number("9007199254740993")}, p.Capabilities)
	assert.Nil(t, p.LastHealth)
	assert.Equal(t, "2026-11-21T08:28:39.153947+00:00", *p.RegisteredAt)
	text, err := json.Marshal(p)
	require.NoError(t, err)
	assert.Contains(t, string(text), `"ratified":false`)
	assert.Subset(t, slices.Collect(maps.Keys(p.AdditionalProperties)), undescribed(t, recorded(t, "peers"), "peers", 2, p))
}

func TestRecordedInbox(t *testing.T) {
	t.Parallel()
	var list gateway.MessageList
	require.NoError(t, list.UnmarshalJSON(recorded(t, "inbox")))
	require.Len(t, list.Messages, 3)
	assert.Equal(t, int64(3), *list.N)
	m := list.Messages[1]
	assert.Equal(t, int64(604), m.ID)
	assert.Equal(t, gateway.KindStatus, m.Kind)
	assert.Equal(t, "task attached", *m.Content)
	assert.Equal(t, "42", *m.RelatedTaskID, "sent as a number")
	assert.Nil(t, m.ReadAt)
	assert.Subset(t, slices.Collect(maps.Keys(m.AdditionalProperties)), undescribed(t, recorded(t, "inbox"), "messages", 1, m))
}

// undescribed returns members in row i that have no field in its type. There may be fewer
// when the document describes more.
func undescribed(t *testing.T, body []byte, list string, i int, object any) []string {
	t.Helper()
	var lists map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(body, &lists))
	var rows []map[string]any
	require.NoError(t, json.Unmarshal(lists[list], &rows))
	for _, field := range reflect.VisibleFields(reflect.TypeOf(object)) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		delete(rows[i], name)
	}
	return slices.Sorted(maps.Keys(rows[i]))
}

func TestRecordedRegistrations(t *testing.T) {
	t.Parallel()
	first := peer(t, string(recorded(t, "register_first_time")))
	require.NotNil(t, first.PeerToken)
	assert.Equal(t, "EXAMPLE-peer-token-not-a-secret-0000000000", first.PeerToken.Reveal())
	assert.True(t, first.Enabled)
	assert.Equal(t, map[string]any{}, first.Capabilities)
	text, err := json.Marshal(first)
	require.NoError(t, err)
	assert.Contains(t, string(text), `"token_status":"minted"`)

	again := peer(t, string(recorded(t, "register_again")))
	assert.Nil(t, again.PeerToken)
}

func TestRecordedReceiptHasNoContent(t *testing.T) {
	t.Parallel()
	m := message(t, string(recorded(t, "send_ok")))
	assert.Nil(t, m.Content)
	assert.Equal(t, gateway.KindQuestion, m.Kind)
}

func TestRecordedErrorHasItsDetail(t *testing.T) {
	t.Parallel()
	var e gateway.Error
	require.NoError(t, e.UnmarshalJSON(recorded(t, "send_empty_content")))
	var issues []gateway.ValidationIssue
	require.NoError(t, json.Unmarshal(e.Detail, &issues))
	require.NotEmpty(t, issues)
	assert.NotEmpty(t, issues[0].Msg)

	require.NoError(t, e.UnmarshalJSON([]byte(`{"detail":null}`)))
	assert.Nil(t, e.Detail)
}

func TestRecordedBodiesSurviveTheRoundTrip(t *testing.T) {
	t.Parallel()
	for name, into := range map[string]json.Unmarshaler{
		"inbox": &gateway.MessageList{}, "inbox_empty": &gateway.MessageList{}, "inbox_after_read": &gateway.MessageList{},
		"inbox_unread_limit_1": &gateway.MessageList{}, "mark_read": &gateway.ReadReceipt{}, "health": &gateway.Health{},
		"send_empty_content": &gateway.Error{}, "peers_bad_token": &gateway.Error{},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := recorded(t, name)
			require.NoError(t, into.UnmarshalJSON(body))
			text, err := json.Marshal(into)
			require.NoError(t, err)
			// only the number changes, because it's kept as text
			want := strings.ReplaceAll(string(body), `"related_task_id": 42`, `"related_task_id": "42"`)
			assertHolds(t, want, string(text))
		})
	}
}

// assertHolds checks that got has everything in want. It may have more: a field that's
// newer than the recording is written as null.
func assertHolds(t *testing.T, want, got string) {
	t.Helper()
	var w, g any
	require.NoError(t, json.Unmarshal([]byte(want), &w))
	require.NoError(t, json.Unmarshal([]byte(got), &g))
	holds(t, w, g)
}

func holds(t *testing.T, want, got any) {
	t.Helper()
	switch want := want.(type) {
	case map[string]any:
		object, ok := got.(map[string]any)
		require.True(t, ok)
		for name := range want {
			require.Contains(t, object, name)
			holds(t, want[name], object[name])
		}
	case []any:
		require.Len(t, got, len(want))
		for i := range want {
			holds(t, want[i], got.([]any)[i])
		}
	default:
		assert.Equal(t, want, got)
	}
}
