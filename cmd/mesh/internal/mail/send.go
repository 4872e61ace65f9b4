// Package mail finds, sends and prints messages, for the commands and for the tools of an agent. An error of this package that has no type of
// package client is a name that is wrong or cannot be found.
package mail

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/scan"
)

// Kinds are the kinds of messages.
var Kinds = []string{
	string(client.KindFYI), string(client.KindQuestion), string(client.KindAnswer), string(client.KindStatus), string(client.KindUnblock),
}

// LeakError reports that a name contains a credential. Nothing was sent. Package client scans the content of a message only.
type LeakError struct {
	// What is the name of the flag or argument.
	What string
	// Finding does not contain the credential.
	Finding scan.Finding
}

func (e *LeakError) Error() string {
	return fmt.Sprintf("%s contains a credential and is not sent: %s. %s", e.What, e.Finding, e.Finding.Rule.Advice)
}

// CheckName returns a LeakError if text contains a credential. Rules that also match harmless text do not apply to names.
func CheckName(scanner *scan.Scanner, what, text string) error {
	for _, f := range scanner.FindAll(text) {
		if !f.Rule.Heuristic() {
			return &LeakError{what, f}
		}
	}
	return nil
}

// Send sends a message in the thread of that id or name; "" is no thread. A thread of a new name is created only for a message
// that passes all checks of package client.
func Send(ctx context.Context, c *client.MeshClient, scanner *scan.Scanner, req client.SendRequest, thread string) (*client.MeshMessage, error) {
	for _, name := range []struct{ what, text string }{
		{"the recipient", req.To}, {"the name of the thread", thread}, {"the task", req.RelatedTaskID}, {"the idempotency key", req.IdempotencyKey},
	} {
		if err := CheckName(scanner, name.what, name.text); err != nil {
			return nil, err
		}
	}
	id, err := threadTo(ctx, c, thread, func() error { return c.CheckSend(ctx, req) })
	if err != nil {
		return nil, err
	}
	req.ThreadID = id
	return c.Send(ctx, req)
}

// NoThreadError reports a thread that does not exist.
type NoThreadError struct {
	// ID is the id or name that was given.
	ID string
	// Cause is the text of the gateway's error in brackets, or "". The error itself is not wrapped: it is a failure, and a wrong id is wrong use.
	Cause string
}

func (e *NoThreadError) Error() string {
	return fmt.Sprintf("there is no thread %q; mesh threads lists the threads%s", e.ID, e.Cause)
}

// ThreadError returns the error of a request for a thread. A thread that does not exist is a wrong argument, and not a failure of
// the gateway.
func ThreadError(id string, err error) error {
	var failed *client.MeshGatewayError
	if errors.As(err, &failed) && failed.StatusCode == http.StatusNotFound && !errors.Is(err, client.ErrNoSuchPath) {
		return &NoThreadError{id, " (" + err.Error() + ")"}
	}
	return err
}
