package contract_test

import (
	"cmp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// recording -> why the checker must reject its request, which breaks the document on
// purpose
var rejected = map[string]string{
	"inbox_limit_empty":            `parameter "limit" in query has an error`,
	"inbox_limit_too_large":        `parameter "limit" in query has an error: number must be at most 1000`,
	"inbox_unread_garbage":         `parameter "unread_only" in query has an error`,
	"inbox_unread_yes":             `parameter "unread_only" in query has an error`, // the gateway accepts it, but the document only allows true and false
	"mark_read_over_int64":         `parameter "msg_id" in path has an error`,
	"peers_unauthorized":           "no bearer token",
	"register_name_too_long":       `Error at "/name": maximum string length is 64`,
	"register_url_too_long":        `Error at "/url": maximum string length is 256`,
	"send_empty_content":           `Error at "/content": minimum string length is 1`,
	"send_from_too_long":           `Error at "/from_node": maximum string length is 64`,
	"send_task_id_over_int64":      `Error at "/related_task_id"`,
	"send_unknown_kind":            `Error at "/kind": value is not one of the allowed values`,
	"thread_create_empty":          `Error at "/thread_name": minimum string length is 1`,
	"thread_create_too_long":       `Error at "/thread_name": maximum string length is 128`,
	"threads_list_limit_too_large": `parameter "limit" in query has an error: number must be at most 100`,
	"unauthorized_and_invalid":     `property "content" is missing`,
}

func TestRecordedExchangesConformToTheDocuments(t *testing.T) {
	t.Parallel()
	checker := newChecker(t)
	all := recordings(t)
	require.GreaterOrEqual(t, len(all), 62)
	for name := range rejected {
		require.Contains(t, all, name)
	}
	for name, r := range all {
		e := request(t, r.Request.Method, r.Request.Path, bodyOrNothing(r.Request.Body))
		if name == "peers_unauthorized" {
			e.Request.Header.Del("Authorization") // recordings omit tokens, but this request was unauthenticated
		}
		e = answered(e, r.Response.Status, r.Response.ContentType, cmp.Or(string(r.Response.Body), r.Response.BodyText))
		err := checker.Request(e)
		if err != nil && strings.Contains(err.Error(), "no matching operation") {
			continue // not in the document
		}
		if want, wrong := rejected[name]; wrong {
			require.ErrorContains(t, err, want, name)
		} else {
			require.NoError(t, err, name)
		}
		require.NoError(t, checker.Response(e), name)
	}
}

// The document allows these requests, because other gateways accept them or because the
// response depends on the gateway's data.
func TestRecordedErrorResponsesAreKnown(t *testing.T) {
	t.Parallel()
	var refused []string
	for name, r := range recordings(t) {
		if _, wrong := rejected[name]; !wrong && r.Response.Status >= 400 {
			refused = append(refused, name)
		}
	}
	assert.ElementsMatch(t, []string{
		"mark_read_again", "mark_read_unknown", "peer_get_unknown", "peers_bad_token", "register_without_url",
		"send_idempotent_conflict", "send_text_task_id", "send_unknown_thread", "task_create", "thread_get_unknown",
	}, refused)
}
