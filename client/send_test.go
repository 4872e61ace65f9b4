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

// key has the shape of an API key. It is put together at run time, so that no scanner
// reports this file.
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
		"Kind":    func(r *client.SendRequest) { r.Kind = "review_request" },
		"To":      func(r *client.SendRequest) { r.To = "Node B" },
		"Content": func(r *client.SendRequest) { r.Content = "" },
	} {
		req := hello("node-b")
		change(&req)
		_, err := c.Send(t.Context(), req)
		assert.Equal(t, field, valueError(t, err).Field)
	}
	for _, to := range []string{"", "b", "-b", "b-", "Bb", "b b", "b_b", "b\nb", "é-b", long("b", 65), "bb\n"} {
		_, err := c.Send(t.Context(), hello(to))
		assert.Equal(t, "To", valueError(t, err).Field, to)
	}
	for _, id := range []string{"9223372036854775808", " -9223372036854775809 ", long("9", 100)} {
		req := hello("node-b")
		req.RelatedTaskID = id
		_, err := c.Send(t.Context(), req)
		assert.Equal(t, "RelatedTaskID", valueError(t, err).Field, id)
	}
	assert.Empty(t, g.Requests())
}

func TestSendChecksKindRecipientAndContentInThisOrder(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	c := connect(t, g, "node-a")
	_, err := c.Send(t.Context(), client.SendRequest{To: "ghost", Kind: "gossip", Content: key})
	assert.Equal(t, "Kind", valueError(t, err).Field)
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

// TestCheckSendMakesTheChecksOfSend requires the same errors from both, and no post from
// CheckSend.
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

func TestAllowRulesLetsAFalsePositivePass(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	c := connect(t, g, "node-a")
	req := hello("node-b")
	req.Content = strings.Repeat("0123456789", 4) + " is a digest, not from aws"
	_, err := c.Send(t.Context(), req)
	var leak *client.MeshSecretLeakError
	require.ErrorAs(t, err, &leak)
	assert.Equal(t, 10, leak.Finding.Rule.Number)
	assert.Contains(t, err.Error(), "aws-secret-key")
	assert.Contains(t, err.Error(), "SendRequest.AllowRules: []int{10}")

	req.AllowRules = []int{10}
	_, err = c.Send(t.Context(), req)
	require.NoError(t, err)

	req.Content += " " + "AKIA" + strings.Repeat("A", 16)
	_, err = c.Send(t.Context(), req)
	require.ErrorAs(t, err, &leak)
	assert.Equal(t, 9, leak.Finding.Rule.Number, "other rules still match")

	req.Content = "token " + token
	req.AllowRules = []int{10, 12}
	_, err = c.Send(t.Context(), req)
	require.ErrorAs(t, err, &leak)
	assert.Zero(t, leak.Finding.Rule.Number)
	assert.NotContains(t, err.Error(), "AllowRules")

	req.AllowRules = []int{0}
	_, err = c.Send(t.Context(), req)
	assert.Equal(t, "AllowRules", valueError(t, err).Field)
	assert.Len(t, g.Requests(gatewaytest.SendMessage), 1)
}

func TestSameReplySentTwiceArrivesOnce(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	question := client.MeshMessage{ID: g.Store("node-a", "node-b", "question", "Is the build green?"), FromNode: "node-a"}
	receiver := connect(t, g, "node-b")
	var ids []int64
	for _, content := range []string{"All green.", "All green.", "not yet"} {
		receipt, err := receiver.Reply(t.Context(), question, client.SendRequest{Kind: client.KindAnswer, Content: content})
		require.NoError(t, err)
		ids = append(ids, receipt.ID)
	}
	assert.Equal(t, ids[0], ids[1])
	assert.NotEqual(t, ids[0], ids[2])
	other := question
	other.ID++
	receipt, err := receiver.Reply(t.Context(), other, client.SendRequest{Kind: client.KindAnswer, Content: "All green."})
	require.NoError(t, err)
	assert.NotContains(t, ids, receipt.ID, "another message has another reply")
	newDatabase := question
	newDatabase.CreatedAt = "2026-11-22T07:54:15+00:00"
	receipt, err = receiver.Reply(t.Context(), newDatabase, client.SendRequest{Kind: client.KindAnswer, Content: "All green."})
	require.NoError(t, err)
	assert.NotContains(t, ids, receipt.ID, "a gateway with a new database uses the ids again")
	status, err := receiver.Reply(t.Context(), question, client.SendRequest{Kind: client.KindStatus, Content: "All green."})
	require.NoError(t, err)
	assert.NotContains(t, ids, status.ID, "another kind is another reply")
}

func TestReplySuggestsNoOtherNode(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	_, err := connect(t, g, "node-b").Reply(t.Context(), client.MeshMessage{ID: 1, FromNode: "node-aa"}, client.SendRequest{Content: "yes"})
	var unknown *client.NotInRegistryError
	require.ErrorAs(t, err, &unknown)
	assert.Empty(t, unknown.Near, "an answer to another node would be wrong")
}

// The name in a message is a node name. An equal alias must not send the reply to another
// node.
func TestReplyGoesToTheSenderAndNotToAnAlias(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	c := connect(t, g, "node-b", client.WithAliases(map[string]string{"node-a": "node-c"}))
	receipt, err := c.Reply(t.Context(), client.MeshMessage{ID: 1, FromNode: "node-a"}, client.SendRequest{Content: "yes"})
	require.NoError(t, err)
	assert.Equal(t, "node-a", receipt.ToNode)
}

func TestReplyKeepsTheFieldsOfItsRequest(t *testing.T) {
	t.Parallel()
	g, key := gateway(t, gatewaytest.WithThreads("t-1", "t-2")), "sk-"+strings.Repeat("aB1", 8)
	c := connect(t, g, "node-b")
	to := client.MeshMessage{ID: 1, FromNode: "node-a", CreatedAt: "2026-11-21T12:00:00+00:00", ThreadID: ptr("t-1"), RelatedTaskID: ptr("7")}
	receipt, err := c.Reply(t.Context(), to, client.SendRequest{Content: "done"})
	require.NoError(t, err)
	assert.Equal(t, []string{"answer", "t-1"}, []string{string(receipt.Kind), receipt.GetThreadID()})
	first, err := c.Reply(t.Context(), to, client.SendRequest{
		Kind: client.KindStatus, Content: key, ThreadID: "t-2", RelatedTaskID: "8", IdempotencyKey: "key", AllowRules: []int{4},
	})
	require.NoError(t, err)
	assert.Equal(t, "t-2", first.GetThreadID())
	again, err := c.Reply(t.Context(), client.MeshMessage{ID: 2, FromNode: "node-a"}, client.SendRequest{
		Kind: client.KindStatus, Content: key, ThreadID: "t-2", RelatedTaskID: "8", IdempotencyKey: "key", SkipSecretCheck: true,
	})
	require.NoError(t, err)
	assert.Equal(t, first.ID, again.ID)
	_, err = c.Reply(t.Context(), to, client.SendRequest{To: "node-a", Content: "x"})
	assert.Equal(t, "To", valueError(t, err).Field)
}
