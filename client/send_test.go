package client_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
	"github.com/mesh-gateway/mesh-go/scan"
)

// key has the shape of an API key. It is put together at run time, so that no scanner reports this file.
var key = "sk-ant-" + long("example-", 4)

func TestSendTransmitsEveryFieldUnchanged(t *testing.T) {
	t.Parallel()
	g := gateway(t, gatewaytest.WithThreads("thread-1"))
	c := connect(t, g, "node-a")
	_, err := c.Send(t.Context(), client.SendRequest{To: "node-b", Kind: client.KindQuestion, Content: "<b>1 & 2</b>\u2028"})
	require.NoError(t, err)
	_, err = c.Send(t.Context(), client.SendRequest{
		To: "node-b", Kind: client.KindUnblock, Content: "x", RelatedTaskID: "42", ThreadID: "thread-1", IdempotencyKey: "k",
	})
	require.NoError(t, err)
	sent := g.Requests(gatewaytest.SendMessage)
	assert.JSONEq(t, `{"from_node":"node-a","to_node":"node-b","kind":"question","content":"<b>1 & 2</b>\u2028"}`, sent[0].Body)
	assert.JSONEq(t, `{"from_node":"node-a","to_node":"node-b","kind":"unblock","content":"x",
		"related_task_id":"42","thread_id":"thread-1","idempotency_key":"k"}`, sent[1].Body)
	assert.Equal(t, "application/json", sent[0].Header.Get("Content-Type"))
}

func TestSendRejectsInvalidArguments(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	c := connect(t, g, "node-a")
	for field, change := range map[string]func(*client.SendRequest){
		"kind":      func(r *client.SendRequest) { r.Kind = "review_request" },
		"recipient": func(r *client.SendRequest) { r.To = "Node B" },
		"content":   func(r *client.SendRequest) { r.Content = "" },
	} {
		req := hello("node-b")
		change(&req)
		_, err := c.Send(t.Context(), req)
		assert.Equal(t, field, valueError(t, err).Field)
	}
	for _, to := range []string{"", "b", "-b", "b-", "Bb", "b b", "b_b", "b\nb", "é-b", long("b", 65), "bb\n"} {
		_, err := c.Send(t.Context(), hello(to))
		assert.Equal(t, "recipient", valueError(t, err).Field, to)
	}
	for _, id := range []string{"9223372036854775808", " -9223372036854775809 ", long("9", 100)} {
		req := hello("node-b")
		req.RelatedTaskID = id
		_, err := c.Send(t.Context(), req)
		assert.Equal(t, "related task id", valueError(t, err).Field, id)
	}
	assert.Empty(t, g.Requests())
}

func TestSendChecksKindRecipientAndContentInThisOrder(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	c := connect(t, g, "node-a")
	_, err := c.Send(t.Context(), client.SendRequest{To: "ghost", Kind: "gossip", Content: key})
	assert.Equal(t, "kind", valueError(t, err).Field)
	assert.Empty(t, g.Requests())

	_, err = c.Send(t.Context(), client.SendRequest{To: "ghost", Kind: client.KindFYI, Content: key})
	var unknown *client.NotInRegistryError
	require.ErrorAs(t, err, &unknown)
	assert.Len(t, g.Requests(gatewaytest.ListPeers), 1)

	_, err = c.Send(t.Context(), client.SendRequest{To: "node-b", Kind: client.KindFYI, Content: key})
	var leak *client.MeshSecretLeakError
	require.ErrorAs(t, err, &leak)
	assert.Empty(t, g.Requests(gatewaytest.SendMessage))
}

// TestCheckSendMakesTheChecksOfSend checks that both return the same errors, and that CheckSend posts nothing.
func TestCheckSendMakesTheChecksOfSend(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	c := connect(t, g, "node-a", client.WithAliases(map[string]string{"b": "node-b"}))
	for _, change := range []func(*client.SendRequest){
		func(*client.SendRequest) {},
		func(r *client.SendRequest) { r.To = "b" },
		func(r *client.SendRequest) { r.Kind = "ask" },
		func(r *client.SendRequest) { r.To = "node-x" },
		func(r *client.SendRequest) { r.Content = key },
		func(r *client.SendRequest) { r.Content, r.SkipSecretCheck = key, true },
	} {
		req := hello("node-b")
		change(&req)
		checked := c.CheckSend(t.Context(), req)
		posted := len(g.Requests(gatewaytest.SendMessage))
		_, err := c.Send(t.Context(), req)
		assert.Equal(t, err, checked)
		assert.Equal(t, err == nil, len(g.Requests(gatewaytest.SendMessage)) > posted)
	}
}

func TestCredentialIsRejectedWithoutBeingShown(t *testing.T) {
	t.Parallel()
	c := connect(t, gateway(t), "node-a")
	req := hello("node-b")
	req.Content = "the key is " + key
	_, err := c.Send(t.Context(), req)
	var leak *client.MeshSecretLeakError
	require.ErrorAs(t, err, &leak)
	require.ErrorIs(t, err, client.ErrMesh)
	assert.Equal(t, "anthropic-api-key", leak.Finding.Rule.Name)
	assert.Equal(t, key, req.Content[leak.Finding.Start:leak.Finding.End])
	assert.Contains(t, err.Error(), "anthropic-api-key")
	assert.Contains(t, err.Error(), "rotate")
	assert.NotContains(t, fmt.Sprintf("%v %+v %#v", err, err, leak), key)

	req.SkipSecretCheck = true
	_, err = c.Send(t.Context(), req)
	require.NoError(t, err, "SkipSecretCheck is for false positives")
}

func TestSendFindsBothLiveTokens(t *testing.T) {
	g := gateway(t)
	t.Setenv("MESH_GATEWAY_TOKEN", "the.token.of.the.environment")
	c := connect(t, g, "node-a")
	rejected := func(content string) bool {
		req := hello("node-b")
		req.Content = content
		_, err := c.Send(t.Context(), req)
		var leak *client.MeshSecretLeakError
		if err == nil {
			return false
		}
		require.ErrorAs(t, err, &leak)
		return leak.Finding.Rule.Number == 0
	}
	assert.True(t, rejected("mine: "+token))
	assert.True(t, rejected("xthe.token.of.the.environmentx"))
	assert.False(t, rejected("another.token.altogether"))
	t.Setenv("MESH_GATEWAY_TOKEN", "another.token.altogether")
	assert.True(t, rejected("another.token.altogether"), "the environment is read for every message")
	assert.False(t, rejected("the.token.of.the.environment"))
	assert.True(t, rejected("mine: "+token))
}

func TestCustomScannerRunsInAddition(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	extended := "hf_" + long("aBcDeFgHiJ", 4)
	find := func(c *client.MeshClient, content string) string {
		req := hello("node-b")
		req.Content = content
		_, err := c.Send(t.Context(), req)
		if err == nil {
			return ""
		}
		var leak *client.MeshSecretLeakError
		require.ErrorAs(t, err, &leak)
		return leak.Finding.Rule.Name
	}
	plain := connect(t, g, "node-a")
	assert.Empty(t, find(plain, extended))
	scanner := scan.New(scan.WithExtendedRules(), scan.WithLiveToken("another live token"))
	own := connect(t, g, "node-a", client.WithScanner(scanner))
	assert.NotEmpty(t, find(own, extended))
	assert.Equal(t, "anthropic-api-key", find(own, extended+" "+key), "the first rule in table order")
	assert.Equal(t, "live-gateway-token", find(own, key+" another live token"))
	assert.Equal(t, "live-gateway-token", find(own, key+" "+token))
	assert.Empty(t, find(own, "nothing of the kind"))
}

func TestSendAcceptsAliasesOfRecipients(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	names := map[string]string{"Reviewer": "node-b", "self": "node-a"}
	c := connect(t, g, "self", client.WithAliases(names))
	names["Reviewer"] = "node-c" // the map was copied
	assert.Equal(t, "node-a", c.Node())
	receipt, err := c.Send(t.Context(), hello("Reviewer"))
	require.NoError(t, err)
	assert.Equal(t, "node-b", receipt.ToNode)
	assert.Equal(t, "node-a", receipt.FromNode)

	g.Store("node-a", "node-a", "fyi", "to itself")
	inbox, err := c.Fetch(t.Context(), client.FetchOptions{ToNode: "self"})
	require.NoError(t, err)
	assert.Empty(t, inbox, "the own inbox under an alias is the own inbox")
	inbox, err = c.Fetch(t.Context(), client.FetchOptions{ToNode: "Reviewer"})
	require.NoError(t, err)
	assert.Len(t, inbox, 1)
}

func TestOwnMessagesAreRemovedFromTheOwnInboxOnly(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	g.Store("node-a", "node-a", "fyi", "to itself")
	g.Store("node-b", "node-a", "fyi", "from another node")
	for _, opts := range []client.FetchOptions{{}, {ToNode: "node-a"}} {
		inbox, err := connect(t, g, "node-a").Fetch(t.Context(), opts)
		require.NoError(t, err)
		require.Len(t, inbox, 1)
		assert.Equal(t, "node-b", inbox[0].FromNode)
	}
	inbox, err := connect(t, g, "node-b").Fetch(t.Context(), client.FetchOptions{ToNode: "node-a"})
	require.NoError(t, err)
	assert.Len(t, inbox, 2, "another inbox is unfiltered")
	assert.Empty(t, g.Requests(gatewaytest.MarkMessageRead), "reading marks nothing read")
}

func TestErrorsListSimilarNames(t *testing.T) {
	t.Parallel()
	g := gatewaytest.New(t, gatewaytest.WithPeers("worker-one", "worker-two", "worker-ten", "worker-tan", "scheduler"))
	c := connect(t, g, "node-a")
	for to, near := range map[string][]string{
		"worker-oen":  {"worker-one", "worker-ten", "worker-tan"},
		"schedular":   {"scheduler"},
		"sched":       {"scheduler"},
		"elsewhere":   nil,
		"scheduler-2": {"scheduler"},
	} {
		_, err := c.Send(t.Context(), hello(to))
		var unknown *client.NotInRegistryError
		require.ErrorAs(t, err, &unknown)
		assert.LessOrEqual(t, len(unknown.Near), 3)
		if to == "worker-oen" {
			assert.Len(t, unknown.Near, 3)
			continue
		}
		assert.Equal(t, near, unknown.Near, to)
		if near != nil {
			assert.Contains(t, err.Error(), "did you mean "+strings.Join(near, ", "))
		}
	}
}

func TestKeyPassedAsRecipientIsNotShown(t *testing.T) {
	t.Parallel()
	c := connect(t, gateway(t), "node-a")
	for _, to := range []string{key, "sk-" + long("a", 30)} {
		_, err := c.Send(t.Context(), hello(to))
		require.Error(t, err)
		assert.NotContains(t, fmt.Sprintf("%v %+v %#v", err, err, err), to)
	}
}

func TestMarkReadRejectsInvalidIDs(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	c := connect(t, g, "node-a")
	for _, id := range []int64{0, -1} {
		assert.Equal(t, "message id", valueError(t, c.MarkRead(t.Context(), id)).Field)
	}
	assert.Empty(t, g.Requests())
}

func TestCapabilitiesMustBeJSON(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	_, err := connect(t, g, "node-a").Register(t.Context(), client.RegisterRequest{Capabilities: map[string]any{"f": func() {}}})
	assert.Equal(t, "capabilities", valueError(t, err).Field)
	assert.Empty(t, g.Requests())
}

func TestSimilarNamesHaveTheSyntaxOfNames(t *testing.T) {
	t.Parallel()
	g := gatewaytest.New(t, gatewaytest.WithPeers("node-b1", "node-b\nlevel=ERROR", "node-b"+long("x", 100), "sk-ant-x_y", "NODE-BB"))
	_, err := connect(t, g, "node-a").Send(t.Context(), hello("node-b"))
	var unknown *client.NotInRegistryError
	require.ErrorAs(t, err, &unknown)
	assert.Equal(t, []string{"NODE-BB", "node-b1"}, unknown.Near)
}

// Case folding would treat ſ as s.
func TestNonASCIILettersAreNotFolded(t *testing.T) {
	t.Parallel()
	g := gatewaytest.New(t, gatewaytest.WithPeers("\u017ftatus-bot", "\u212aeeper"))
	for _, to := range []string{"status-bot", "keeper"} {
		_, err := connect(t, g, "node-a").Send(t.Context(), hello(to))
		var unknown *client.NotInRegistryError
		require.ErrorAs(t, err, &unknown)
	}
	assert.Empty(t, g.Requests(gatewaytest.SendMessage))
}

func TestInvalidUTF8IsRejected(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	c := connect(t, g, "node-a")
	for field, change := range map[string]func(*client.SendRequest){
		"content":         func(r *client.SendRequest) { r.Content = "k\xff" },
		"related task id": func(r *client.SendRequest) { r.RelatedTaskID = "k\xff" },
		"thread id":       func(r *client.SendRequest) { r.ThreadID = "k\xff" },
		"idempotency key": func(r *client.SendRequest) { r.IdempotencyKey = "k\xff" },
	} {
		req := hello("node-b")
		change(&req)
		_, err := c.Send(t.Context(), req)
		assert.Equal(t, field, valueError(t, err).Field)
	}
	_, err := c.Fetch(t.Context(), client.FetchOptions{ToNode: "k\xff"})
	assert.Equal(t, "inbox", valueError(t, err).Field)
	for field, req := range map[string]client.RegisterRequest{"URL": {URL: "http://\xff"}} {
		_, err := c.Register(t.Context(), req)
		assert.Equal(t, field, valueError(t, err).Field)
	}
	for _, capabilities := range []map[string]any{
		{"k\xff": 1}, {"k": "\xff"}, {"k": []string{"ok", "\xff"}}, {"k": []any{1, map[string]any{"deep": "\xff"}}},
	} {
		_, err := c.Register(t.Context(), client.RegisterRequest{URL: "http://x", Capabilities: capabilities})
		assert.Equal(t, "capabilities", valueError(t, err).Field)
	}
	assert.Empty(t, g.Requests(), "nothing is sent")
}
