package client

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// Reply sends an answer to the sender of a message, in the same thread and with the same task. It makes the same checks as
// [MeshClient.Send] and returns the same errors. The sender's name is not resolved as an alias.
//
// The idempotency key is derived from the node, the id of the message, the kind and the content, so that the same reply sent
// twice arrives once. After a crash or an uncertain failure, send the reply again. Older gateways ignore the key. Use Send to
// set other fields, such as AllowRules.
func (c *MeshClient) Reply(ctx context.Context, to MeshMessage, kind Kind, content string) (*MeshMessage, error) {
	if err := c.ready(ctx); err != nil {
		return nil, err
	}
	return c.send(ctx, to.FromNode, SendRequest{
		Kind:           kind,
		Content:        content,
		RelatedTaskID:  to.GetRelatedTaskID(),
		ThreadID:       to.GetThreadID(),
		IdempotencyKey: c.replyKey(to.ID, kind, content),
	}, true)
}

// replyKey returns the idempotency key of a reply. The lengths keep the parts apart.
func (c *MeshClient) replyKey(id int64, kind Kind, content string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d:%s %d %d:%s %s", len(c.node), c.node, id, len(kind), kind, content))
	return "reply-" + hex.EncodeToString(sum[:])
}
