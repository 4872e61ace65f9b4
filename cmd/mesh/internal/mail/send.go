// Package mail finds, sends and prints messages for commands and agent tools. Errors
// other than package client's types report a wrong or unknown name.
package mail

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/scan"
)

// Kinds are all message kinds.
var Kinds = []string{
	string(client.KindFYI), string(client.KindQuestion), string(client.KindAnswer), string(client.KindStatus), string(client.KindUnblock),
}

// LeakError reports a credential in a name. Nothing was sent. Package client scans only
// the content.
type LeakError struct {
	// What names the flag or argument.
	What string
	// Finding doesn't contain the credential.
	Finding scan.Finding
}

func (e *LeakError) Error() string {
	return fmt.Sprintf("%s contains a credential and is not sent: %s. %s", e.What, e.Finding, e.Finding.Rule.Advice)
}

// CheckName returns a LeakError if text contains a credential. It ignores heuristic
// rules, which match harmless names.
func CheckName(scanner *scan.Scanner, what, text string) error {
	for _, f := range scanner.FindAll(text) {
		if !f.Rule.Heuristic() {
			return &LeakError{what, f}
		}
	}
	return nil
}

// Send sends a message, in a thread if thread is a name or an id. It creates a thread
// with a new name only if the message passes all checks.
func Send(ctx context.Context, c *client.MeshClient, scanner *scan.Scanner, req client.SendRequest, thread string) (receipt *client.MeshMessage, err error) {
	if req.ThreadID, err = Prepare(ctx, c, scanner, []string{req.To}, req, thread); err != nil {
		return nil, err
	}
	return c.Send(ctx, req)
}

// Prepare runs [Send]'s checks for all recipients before the message is sent to any of
// them, and returns the thread id. It ignores req.To.
func Prepare(ctx context.Context, c *client.MeshClient, scanner *scan.Scanner, to []string, req client.SendRequest, thread string) (id string, err error) {
	for _, node := range to {
		err = cmp.Or(err, CheckName(scanner, "the recipient", node))
	}
	err = cmp.Or(err, CheckName(scanner, "the name of the thread", thread), CheckName(scanner, "the task", req.RelatedTaskID),
		CheckName(scanner, "the idempotency key", req.IdempotencyKey))
	if err != nil {
		return "", err
	}
	for _, req.To = range to {
		if err := c.CheckSend(ctx, req); err != nil {
			return "", err
		}
	}
	return threadTo(ctx, c, thread)
}

// NoThreadError reports an unknown thread.
type NoThreadError struct {
	// ID is the requested id or name.
	ID string
	// Cause is the gateway's error in brackets, or "". It's text because wrapping it
	// would turn incorrect use into a failure.
	Cause string
}

func (e *NoThreadError) Error() string {
	return fmt.Sprintf("no thread %q; mesh threads lists the threads%s", e.ID, e.Cause)
}

// ThreadError turns a missing thread into a [NoThreadError]: incorrect use, not a
// gateway failure.
func ThreadError(id string, err error) error {
	var failed *client.MeshGatewayError
	if errors.As(err, &failed) && failed.StatusCode == http.StatusNotFound && !errors.Is(err, client.ErrNoSuchPath) {
		return &NoThreadError{id, " (" + err.Error() + ")"}
	}
	return err
}
