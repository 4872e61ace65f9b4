package client

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"unicode/utf8"

	"github.com/mesh-gateway/mesh-go/gen/gateway"
)

// The gateway's bounds, in characters (WIRE.md G10 and G19).
const (
	maxContent        = 200_000
	maxIdempotencyKey = 128
)

// SendRequest is one message to send. To, Kind and Content are required; "" leaves the others out.
type SendRequest struct {
	// To is the recipient's node name, or an alias of it.
	To string
	// Kind is one of the five.
	Kind Kind
	// Content is the message, 1 to 200,000 characters of valid UTF-8. Treat it as public: anyone with a gateway token can
	// read it.
	Content string
	// RelatedTaskID links a task; today's gateway takes the text of a number only (WIRE.md G2).
	RelatedTaskID string
	// ThreadID links a thread; one that the gateway does not know is answered 500 (WIRE.md G9).
	ThreadID string
	// IdempotencyKey, at most 128 characters, lets the gateway recognise a repeated message: the same key with the same
	// message brings the first receipt again, with another message 409. Older gateways ignore it (WIRE.md G10).
	IdempotencyKey string
	// SkipSecretCheck sends the content unscanned, for false positives.
	SkipSecretCheck bool
}

// Send sends one message and returns its receipt, which has no content (POST /messages; SPEC.md, Client operations,
// rule 4). In this order:
//
//  1. The kind is one of the five, the recipient is a node name, and the rest is within bounds, else [*ValueError].
//  2. The gateway's registry lists the recipient, else [*NotInRegistryError]; when the registry cannot be read, the
//     gateway error. The registry's spelling is what is sent.
//  3. The content holds no credential, else [*MeshSecretLeakError]. The token of this client and the one in
//     MESH_GATEWAY_TOKEN at this moment are looked for as well.
//  4. The message is posted.
//
// Nothing is posted unless 1 to 3 pass. When the answer cannot be read although the gateway accepted the message, the
// error says so in Delivered: do not send it again.
func (c *MeshClient) Send(ctx context.Context, req SendRequest) (*MeshMessage, error) {
	to := canonical(c.aliases, req.To)
	if err := c.check(to, req); err != nil {
		return nil, err
	}
	to, err := c.recipient(ctx, to)
	if err != nil {
		return nil, err
	}
	if !req.SkipSecretCheck {
		if err := c.guard.check(req.Content); err != nil {
			return nil, err
		}
	}
	return c.post(ctx, c.message(to, req))
}

// check refuses what the gateway would refuse, before anything is sent.
func (c *MeshClient) check(to string, req SendRequest) error {
	if !req.Kind.Valid() {
		return c.guard.valueError("kind", string(req.Kind), "is not one of fyi, question, answer, status, unblock")
	}
	if err := c.guard.checkNodeName("recipient", to); err != nil {
		return err
	}
	for _, text := range []struct{ field, value string }{
		{"content", req.Content}, {"related task id", req.RelatedTaskID}, {"thread id", req.ThreadID}, {"idempotency key", req.IdempotencyKey},
	} {
		if err := checkText(text.field, text.value); err != nil {
			return err
		}
	}
	switch n := utf8.RuneCountInString(req.Content); {
	case n == 0:
		return &ValueError{Field: "content", Reason: "is empty"}
	case n > maxContent:
		return &ValueError{Field: "content", Reason: "is longer than 200000 characters"}
	case utf8.RuneCountInString(req.IdempotencyKey) > maxIdempotencyKey:
		return &ValueError{Field: "idempotency key", Reason: "is longer than 128 characters"}
	}
	return nil
}

// checkText refuses what JSON cannot carry. encoding/json would replace the bytes without a word: the recipient would read
// something else, and two keys could become one.
func checkText(field, text string) error {
	if utf8.ValidString(text) {
		return nil
	}
	return &ValueError{Field: field, Reason: "is not valid UTF-8"}
}

// recipient returns the registry's spelling of a name.
func (c *MeshClient) recipient(ctx context.Context, name string) (string, error) {
	spelled, err := c.registry.resolve(ctx, name)
	if err == nil {
		return spelled, nil
	}
	var absent *NotInRegistryError
	if errors.As(err, &absent) {
		return "", &NotInRegistryError{Name: c.guard.redact(absent.Name), Near: absent.Near}
	}
	if !errors.Is(err, ErrMesh) {
		// The caller's context ended while somebody else's request was under way.
		return "", &MeshGatewayError{Method: opListPeers.method, Path: opListPeers.path, Err: err}
	}
	return "", err
}

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

func (c *MeshClient) post(ctx context.Context, m gateway.SendMessageRequest) (*MeshMessage, error) {
	op := opSend(m.IdempotencyKey != "")
	resp, err := c.do(ctx, op, func(ctx context.Context) (*http.Response, error) {
		return c.api.SendMessage(ctx, m)
	})
	if err != nil {
		return nil, err
	}
	receipt := new(MeshMessage)
	if err := c.decode(op, resp, receipt); err != nil {
		return nil, err
	}
	return receipt, nil
}
