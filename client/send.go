package client

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"

	"github.com/mesh-gateway/mesh-go/gen/gateway"
)

// SendRequest is a message to send. To, Kind and Content are required. Optional fields
// that are "" are not sent.
type SendRequest struct {
	// To is the recipient's node name or an alias. [New] describes the syntax. Case matters.
	To string
	// Kind is one of the five kinds, from KindFYI to KindUnblock.
	Kind Kind
	// Content is the message: 1 to 200,000 characters, valid UTF-8. Treat it as public:
	// everyone with a token for the gateway can read it.
	Content string
	// RelatedTaskID links the message to a task. Current gateways accept only decimal
	// numbers. A number beyond a signed 64-bit integer is a [*ValueError].
	RelatedTaskID string
	// ThreadID puts the message into a thread, such as Thread.ID from OpenThread. If it is
	// unknown, current gateways return 500.
	ThreadID string
	// IdempotencyKey, at most 128 characters, makes it safe to send a message again: the
	// gateway then returns the first receipt. If the same key comes with another message,
	// the status is 409. Older gateways ignore keys.
	IdempotencyKey string
	// AllowRules lists scan rules to ignore, by number, after a false positive. For example,
	// rule 10 (an AWS secret key) matches any 40 letters and digits in a row, if aws follows
	// anywhere. Rule 0, the live tokens, is a [*ValueError]: it cannot be ignored.
	AllowRules []int
	// SkipSecretCheck turns off the credential scan. Prefer AllowRules, which still finds
	// the live tokens.
	SkipSecretCheck bool
	// Extra adds request properties for a newer gateway, such as "mentions". Its strings and
	// keys are scanned as Content is. A property that has its own field, such as "content",
	// is a [*ValueError].
	Extra map[string]any
}

// opSend is repeatable only with an idempotency key, by which the gateway recognizes the
// message.
func opSend(keyed, ownKey bool) operation {
	return operation{method: http.MethodPost, path: "/messages", repeatable: keyed, ownKey: keyed && ownKey, delivers: true, receipt: true}
}

// Send sends a message and returns its receipt, which has no content (POST /messages). It
// takes these steps:
//
//  1. Validate the request. An invalid field is a [*ValueError].
//  2. Look up the recipient in the gateway's registry, by itself if the registry is too
//     large. An unknown recipient is a [*NotInRegistryError]; if the registry cannot be
//     read, that error is returned.
//  3. Scan the content for credentials, including this client's token and the one in
//     MESH_GATEWAY_TOKEN at that moment. A finding is a [*MeshSecretLeakError].
//  4. Post the message.
//
// If one of the first three steps fails, nothing is posted. If the last step fails, look
// at the [*MeshGatewayError]. If Delivered is set, the gateway accepted the message, but
// its receipt is invalid: do not send it again. If Uncertain is set, the gateway may have
// accepted it: send it again only under the same idempotency key.
func (c *MeshClient) Send(ctx context.Context, req SendRequest) (*MeshMessage, error) {
	if err := c.ready(ctx); err != nil {
		return nil, err
	}
	return c.send(ctx, resolveAlias(c.aliases, req.To), req, req.IdempotencyKey == "")
}

// CheckSend makes the checks of [MeshClient.Send], its first three steps, and returns
// their error. It posts nothing. Call it before work that's wasted if the message can't
// be sent, such as opening a thread.
func (c *MeshClient) CheckSend(ctx context.Context, req SendRequest) error {
	if err := c.ready(ctx); err != nil {
		return err
	}
	return c.checkSend(ctx, resolveAlias(c.aliases, req.To), req)
}

// checkSend does not resolve aliases.
func (c *MeshClient) checkSend(ctx context.Context, to string, req SendRequest) error {
	if err := c.redactor.checkMessage(to, req); err != nil {
		return err
	}
	if err := c.checkRecipient(ctx, to); err != nil {
		return err
	}
	return c.scanContent(req)
}

func (c *MeshClient) scanContent(req SendRequest) error {
	if req.SkipSecretCheck {
		return nil
	}
	if err := c.redactor.scan(req.Content, req.AllowRules); err != nil {
		return err
	}
	return c.redactor.scanProperties(req.Extra, req.AllowRules)
}

// send does not resolve aliases. ownKey means that this package makes the idempotency
// key, if there is one.
func (c *MeshClient) send(ctx context.Context, to string, req SendRequest, ownKey bool) (*MeshMessage, error) {
	if err := c.checkSend(ctx, to, req); err != nil {
		return nil, err
	}
	return c.post(ctx, to, req, ownKey)
}

// post requires a checked message.
func (c *MeshClient) post(ctx context.Context, to string, req SendRequest, ownKey bool) (*MeshMessage, error) {
	m := c.message(to, req)
	body, err := encodeProperties(m, req.Extra)
	if err != nil {
		return nil, err
	}
	op := opSend(m.IdempotencyKey != "", ownKey)
	return request[MeshMessage](ctx, c, op, func(ctx context.Context) (*http.Response, error) {
		return c.api.SendMessageWithBody(ctx, "application/json", bytes.NewReader(body))
	})
}

func (c *MeshClient) checkRecipient(ctx context.Context, name string) error {
	err := c.registry.check(ctx, name)
	if err == nil {
		return nil
	}
	var unknown *NotInRegistryError
	if errors.As(err, &unknown) {
		unknown.Name = c.redactor.redact(unknown.Name)
		for i, similar := range unknown.Near { // the names of other peers come from outside
			unknown.Near[i] = c.redactor.redact(similar)
		}
		return unknown
	}
	if !errors.Is(err, ErrMesh) {
		// The caller's context ended while it waited for a registry request shared with other
		// callers.
		return &MeshGatewayError{Method: opListPeers.method, Path: opListPeers.path, Err: err}
	}
	return err
}

// message adds an idempotency key if retries are enabled and req has no key.
func (c *MeshClient) message(to string, req SendRequest) gateway.SendMessageRequest {
	m := gateway.SendMessageRequest{
		FromNode:       c.node,
		ToNode:         to,
		Kind:           req.Kind,
		Content:        req.Content,
		RelatedTaskID:  req.RelatedTaskID,
		ThreadID:       req.ThreadID,
		IdempotencyKey: req.IdempotencyKey,
	}
	if c.retry != nil && m.IdempotencyKey == "" {
		m.IdempotencyKey = rand.Text()
	}
	return m
}

// Reply answers a message: it sends req to its sender, in its thread and with its task,
// unless req has a ThreadID or a RelatedTaskID. req.To must be "", and Kind defaults to
// KindAnswer. Reply makes the same checks as [MeshClient.Send] and returns the same
// errors. An alias does not apply to the sender's name.
//
// The same reply sent twice arrives once, so after a crash or an uncertain failure, send
// it again. Unless req has an IdempotencyKey, Reply derives one from the node, to's ID
// and CreatedAt, the kind and the content. Leave ID and CreatedAt as the gateway sent
// them. Older gateways ignore the key.
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

// replyKey includes CreatedAt because a gateway with a new database counts its messages
// from 1 again. %q keeps the parts apart; content is the last.
func (c *MeshClient) replyKey(to MeshMessage, kind Kind, content string) string {
	return fmt.Sprintf("reply-%x", sha256.Sum256(fmt.Appendf(nil, "%q %d %q %q %s", c.node, to.ID, to.CreatedAt, kind, content)))
}
