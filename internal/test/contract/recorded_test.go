package contract_test

import (
	"cmp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// rejected names the exchanges that were recorded to see a wrong request refused, with what the document says of it.
var rejected = map[string]string{
	"inbox_limit_too_large": `parameter "limit" in query has an error: number must be at most 1000`,
	"peers_unauthorized":    "no bearer token",
	"send_empty_content":    `Error at "/content": minimum string length is 1`,
	"send_unknown_kind":     `Error at "/kind": value is not one of the allowed values`,
}

func TestRecordedExchangesKeepTheContract(t *testing.T) {
	t.Parallel()
	checker := newChecker(t)
	all := recordings(t)
	require.GreaterOrEqual(t, len(all), 25)
	for name := range rejected {
		require.Contains(t, all, name)
	}
	for name, r := range all {
		e := request(t, r.Request.Method, r.Request.Path, bodyOrNothing(r.Request.Body))
		if name == "peers_unauthorized" {
			e.Request.Header.Del("Authorization") // the recordings carry none, but only this one was made without
		}
		e = answered(e, r.Response.Status, r.Response.ContentType, cmp.Or(string(r.Response.Body), r.Response.BodyText))
		err := checker.Request(e)
		if want, wrong := rejected[name]; wrong {
			require.ErrorContains(t, err, want, name)
		} else {
			require.NoError(t, err, name)
		}
		require.NoError(t, checker.Response(e), name)
	}
	assert.Empty(t, checker.Unexercised())
}

// The other recorded refusals are about what this document lets through, because other gateways take it.
func TestRecordedRefusalsAreKnown(t *testing.T) {
	t.Parallel()
	var refused []string
	for name, r := range recordings(t) {
		if _, wrong := rejected[name]; !wrong && r.Response.Status >= 400 {
			refused = append(refused, name)
		}
	}
	assert.ElementsMatch(t, []string{
		"mark_read_again", "mark_read_unknown", "peers_bad_token", "register_without_url", "send_idempotent_conflict",
		"send_text_task_id", "send_unknown_thread",
	}, refused)
}
