// Package seam lets client/agent use what client hides from other packages.
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

// Client is client.MeshClient's unexported side. R is client.SendRequest, Q is
// client.ListMessagesOptions and G is client.RegisterRequest. All node names in its
// arguments are final: aliases are resolved.
type Client[R, Q, G any] struct {
	// Ready rejects the zero client and a nil context. The other fields are unset if it
	// does.
	Ready func(context.Context) error

	Name     string // the client's node
	Shown    string // Name, or a placeholder if it doesn't look like a name
	Server   string // base URL
	MaxBytes int64
	Log      *slog.Logger
	State    *sync.Map // belongs to package agent
	Resolve  func(name string) string

	// Ended returns an error if the client is closed or the context has ended. Sleep does so
	// too, after a pause otherwise. WhileOpen returns a context that ends with the client.
	Ended     func(context.Context) error
	Sleep     func(context.Context, time.Duration) error
	WhileOpen func(context.Context) (context.Context, context.CancelFunc)
	IsClosed  func() bool

	// Text from outside must pass through one of these before an error or a log shows it.
	// RedactOwn keeps words that are part of a token.
	Redact, RedactOwn func(string) string
	RedactError       func(error) error

	// NameError shows the value only if it can't be a token.
	NameError    func(field, value, reason string) error
	CheckName    func(field, name string) error
	CheckKind    func(field string, kind gateway.Kind) error
	CheckMessage func(to string, req R) error
	CheckQuery   func(Q) error
	Selects      func(Q, gateway.MeshMessage) bool // what older gateways ignore
	Scan         func(R) error
	// CheckRecipient looks a name up in the registry.
	CheckRecipient func(ctx context.Context, name string) error

	// CheckAndPost makes the checks of Send first. ownKey means that the caller
	// made the idempotency key.
	CheckAndPost, Post func(ctx context.Context, to string, req R, ownKey bool) (*gateway.MeshMessage, error)
	ReplyKey           func(to gateway.MeshMessage, kind gateway.Kind, content string) string
	// List returns the messages and its last request's limit.
	List func(context.Context, Q, List) ([]gateway.MeshMessage, int, error)
	// Mark marks a message read, once if it must not be repeated.
	Mark func(ctx context.Context, id int64, once bool) error
	// CompleteRegistration keeps registered values, which a registration replaces.
	CompleteRegistration func(context.Context, *G) error
	// Peer and Peers drop capabilities.
	Peer  func(ctx context.Context, name string) (*gateway.MeshPeer, error)
	Peers func(context.Context) ([]gateway.MeshPeer, error)

	// ListFailed reports a GET /messages that was not sent.
	ListFailed func(error) error
}

// Of returns a *client.MeshClient's Client. Package client sets it.
var Of func(client any) any

// List says how messages are listed.
type List struct {
	Once      bool // regardless of the retry policy
	NeedsBody bool // an empty body is an error, not an empty list
	// Fewer requests fewer messages while the response is too large, and Slow also while it
	// takes too long.
	Fewer, Slow bool
	// Without contents, which may be large, a response has more messages.
	NoContents bool
	// Filter returns the part that is needed.
	Filter func(io.Reader) io.Reader
}

// ClaimNode receives the claims of ServeOptions.Lease. No node may have this name: claims
// are in no inbox.
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
