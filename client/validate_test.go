package client_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
)

func TestValidNodeName(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"ab", "a1", "node-a", "a-" + long("b", 61) + "c"} {
		require.NoError(t, client.ValidNodeName(name), name)
	}
	for _, name := range []string{"", "a", "1a", "-a", "a-", "Node-a", "node_a", "node a", "nöde", "node-a\n", "a" + long("b", 64)} {
		invalid := valueError(t, client.ValidNodeName(name))
		assert.Equal(t, "name", invalid.Field, name)
		assert.Contains(t, invalid.Reason, "2 to 64 lower-case letters")
	}
	assert.EqualError(t, client.ValidNodeName("Node-a"),
		`mesh: name "Node-a" must be 2 to 64 lower-case letters, digits and hyphens, start with a letter and not end with a hyphen`)
	key := "xai-" + long("Z9", 40)
	assert.NotContains(t, client.ValidNodeName(key).Error(), key, "a key in the wrong place is not shown")
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

func TestCapabilitiesMustBeJSON(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	_, err := connect(t, g, "node-a").Register(t.Context(), client.RegisterRequest{Capabilities: map[string]any{"f": func() {}}})
	assert.Equal(t, "Capabilities", valueError(t, err).Field)
	assert.Empty(t, g.Requests())
}

func TestInvalidUTF8IsRejected(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	c := connect(t, g, "node-a")
	for field, change := range map[string]func(*client.SendRequest){
		"Content":        func(r *client.SendRequest) { r.Content = "k\xff" },
		"RelatedTaskID":  func(r *client.SendRequest) { r.RelatedTaskID = "k\xff" },
		"ThreadID":       func(r *client.SendRequest) { r.ThreadID = "k\xff" },
		"IdempotencyKey": func(r *client.SendRequest) { r.IdempotencyKey = "k\xff" },
	} {
		req := hello("node-b")
		change(&req)
		_, err := c.Send(t.Context(), req)
		assert.Equal(t, field, valueError(t, err).Field)
	}
	_, err := c.Fetch(t.Context(), client.FetchOptions{ToNode: "k\xff"})
	assert.Equal(t, "ToNode", valueError(t, err).Field)
	for field, req := range map[string]client.RegisterRequest{"URL": {URL: "http://\xff"}} {
		_, err := c.Register(t.Context(), req)
		assert.Equal(t, field, valueError(t, err).Field)
	}
	for _, capabilities := range []map[string]any{
		{"k\xff": 1}, {"k": "\xff"}, {"k": []string{"ok", "\xff"}}, {"k": []any{1, map[string]any{"deep": "\xff"}}},
	} {
		_, err := c.Register(t.Context(), client.RegisterRequest{URL: "http://x", Capabilities: capabilities})
		assert.Equal(t, "Capabilities", valueError(t, err).Field)
	}
	assert.Empty(t, g.Requests(), "nothing is sent")
}
