package client

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
)

// Reply sends a message to the sender of another one, in its thread and with its task, unless req has a ThreadID or a RelatedTaskID.
// req.To must be "", and a Kind of "" is KindAnswer. Reply makes the same checks as [MeshClient.Send] and returns the same errors. The
// sender's name is not resolved as an alias.
//
// Without an IdempotencyKey, the key is derived from the node, the id and CreatedAt of the message, the kind and the content, so that the
// same reply sent twice arrives once: to must have the ID and CreatedAt that the gateway sent. After a crash or an uncertain failure,
// send the reply again. Older gateways ignore the key.
func (c *MeshClient) Reply(ctx context.Context, to MeshMessage, req SendRequest) (*MeshMessage, error) {
	if err := c.ready(ctx); err != nil {
		return nil, err
	}
	if req.To != "" {
		return nil, invalid("To", "must be empty; the reply is to the sender")
	}
	req.Kind = cmp.Or(req.Kind, KindAnswer)
	req.RelatedTaskID, req.ThreadID = cmp.Or(req.RelatedTaskID, to.GetRelatedTaskID()), cmp.Or(req.ThreadID, to.GetThreadID())
	req.IdempotencyKey = cmp.Or(req.IdempotencyKey, c.replyKey(to, req.Kind, req.Content))
	receipt, err := c.send(ctx, to.FromNode, req, true)
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
