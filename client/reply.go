package client

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
)

// Reply sends an answer to the sender of a message, in the same thread and with the same task. It makes the same checks as
// [MeshClient.Send] and returns the same errors. The sender's name is not resolved as an alias.
//
// The idempotency key is derived from the node, the id and CreatedAt of the message, the kind and the content, so that the same
// reply sent twice arrives once: to must have the ID and CreatedAt that the gateway sent. After a crash or an uncertain failure,
// send the reply again. Older gateways ignore the key. Use Send to set other fields, such as AllowRules.
func (c *MeshClient) Reply(ctx context.Context, to MeshMessage, kind Kind, content string) (*MeshMessage, error) {
	if err := c.ready(ctx); err != nil {
		return nil, err
	}
	receipt, err := c.send(ctx, to.FromNode, SendRequest{
		Kind:           kind,
		Content:        content,
		RelatedTaskID:  to.GetRelatedTaskID(),
		ThreadID:       to.GetThreadID(),
		IdempotencyKey: c.replyKey(to, kind, content),
	}, true)
	var unknown *NotInRegistryError
	if errors.As(err, &unknown) {
		unknown.Near = nil // the gateway gave the name, so it is not mistyped
	}
	return receipt, err
}

// replyKey returns the idempotency key of a reply. A gateway with a new database counts its messages from 1 again, so the key
// needs CreatedAt as well. %q keeps the parts apart; content is the last.
func (c *MeshClient) replyKey(to MeshMessage, kind Kind, content string) string {
	return fmt.Sprintf("reply-%x", sha256.Sum256(fmt.Appendf(nil, "%q %d %q %q %s", c.node, to.ID, to.CreatedAt, kind, content)))
}
