package contract_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestUnexercisedListsUnusedOperationsAndParameters(t *testing.T) {
	t.Parallel()
	checker := newChecker(t)
	all := checker.Unexercised()
	assert.Subset(t, all, []string{"listMessages", "listPeers", "markMessageRead"})

	require.NoError(t, checker.Request(request(t, "GET", "/messages?to=a&limit=1", "")))
	require.NoError(t, checker.Request(request(t, "POST", "/messages/1/read", "")))
	require.Error(t, checker.Request(request(t, "GET", "/nowhere", "")))
	require.NoError(t, checker.Response(answered(request(t, "GET", "/peers", ""), 200, inJSON, `[]`)))
	rest := checker.Unexercised()
	assert.Subset(t, rest, []string{"listMessages?from", "listMessages?unread_only"})
	assert.NotContains(t, rest, "listMessages?limit")
	assert.NotContains(t, rest, "listMessages")
	assert.NotContains(t, rest, "markMessageRead")
	assert.Contains(t, rest, "listPeers", "only requests count")
}
