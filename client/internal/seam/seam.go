// Package seam gives client/agent access to unexported parts of package client.
package seam

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/mesh-gateway/mesh-go/gen/gateway"
)

// Client holds unexported methods and fields from client.MeshClient. R is
// client.SendRequest, Q is client.ListMessagesOptions and G is client.RegisterRequest.
// Resolve aliases before passing a node name.
type Client[R, Q, G any] struct {
	// Ready rejects the zero client and a nil context. For the zero client, the other fields
	// are unset.
	Ready func(context.Context) error

	Name     string // the client's node
	Shown    string // Name, or a placeholder if it doesn't look like a name
	Server   string // base URL
	MaxBytes int64
	Log      *slog.Logger
	State    *sync.Map // belongs to package agent
	Resolve  func(name string) string

	// Ended returns an error if the client is closed or the context has ended. Sleep returns
	// one if that happens during the pause. WhileOpen returns a context that also ends when
	// the client is closed.
	Ended     func(context.Context) error
	Sleep     func(context.Context, time.Duration) error
	WhileOpen func(context.Context) (context.Context, context.CancelFunc)
	IsClosed  func() bool

	// Redact removes credentials and parts of a token from external text before an error or
	// a log shows it. RedactOwn is for our own text: it removes only whole tokens.
	Redact, RedactOwn func(string) string
	RedactError       func(error) error

	// NameError shows the value only if it looks like a name, because it may be a token.
	NameError    func(field, value, reason string) error
	CheckName    func(field, name string) error
	CheckKind    func(field string, kind gateway.Kind) error
	CheckMessage func(to string, req R) error
	CheckQuery   func(Q) error
	Selects      func(Q, gateway.MeshMessage) bool // applies filters that older gateways ignore
	Scan         func(R) error
	// CheckRecipient returns an error unless the registry has the name.
	CheckRecipient func(ctx context.Context, name string) error

	// CheckAndPost runs Send's checks and then Post. ownKey means that our code made the
	// idempotency key, not the user.
	CheckAndPost, Post func(ctx context.Context, to string, req R, ownKey bool) (*gateway.MeshMessage, error)
	ReplyKey           func(to gateway.MeshMessage, kind gateway.Kind, content string) string
	// List returns messages and the last request's limit, which may be lower than requested.
	List func(context.Context, Q, List) ([]gateway.MeshMessage, int, error)
	// Mark marks a message read. If once is set, it ignores the retry policy.
	Mark func(ctx context.Context, id int64, once bool) error
	// CompleteRegistration fills in registered values that a new registration would clear.
	CompleteRegistration func(context.Context, *G) error
	// Peer and Peers return peers without capabilities.
	Peer  func(ctx context.Context, name string) (*gateway.MeshPeer, error)
	Peers func(context.Context) ([]gateway.MeshPeer, error)

	// ListFailed makes the error for a GET /messages that was not sent.
	ListFailed func(error) error
}

// Of returns the Client for a *client.MeshClient. Package client sets it.
var Of func(client any) any

// List configures Client.List.
type List struct {
	Once      bool // ignore the retry policy
	NeedsBody bool // an empty body is an error, not an empty list
	// Fewer retries with fewer messages if the response is too large; Slow does, too, and
	// also if it takes too long.
	Fewer, Slow bool
	// NoContents drops contents, so more messages fit into a response.
	NoContents bool
	// Filter, if not nil, reduces the response body.
	Filter func(io.Reader) io.Reader
}

// ClaimNode is the recipient for claims (see ServeOptions.Lease). No node may register
// this name.
const ClaimNode = "claims"

// MaxLimit is the gateway's highest limit for a message list.
const MaxLimit = 1000

// ErrClosed is returned by every call after Close.
var ErrClosed = fmt.Errorf("the client is closed: %w", net.ErrClosed)

// Parts returns the type E errors in err's tree.
func Parts[E error](err error) (parts []E) {
	switch e := err.(type) { //nolint:errorlint // walks the tree
	case E:
		return []E{e}
	case interface{ Unwrap() error }:
		return Parts[E](e.Unwrap())
	case interface{ Unwrap() []error }:
		for _, inner := range e.Unwrap() {
			parts = append(parts, Parts[E](inner)...)
		}
	}
	return parts
}

// Without returns err, or nil if it contains a type E error.
func Without[E error](err error) error {
	if len(Parts[E](err)) > 0 {
		return nil
	}
	return err
}
