package faults_test

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"strings"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/internal/call"
	"github.com/mesh-gateway/mesh-go/internal/wire"
)

// verifyMesh expects a value without an error, or an error that matches ErrMesh and
// describes the request and the response.
func (c *trial) verifyMesh(good any, fail func(string, ...any)) outcome {
	if posted := c.posted(); c.op.name == "Send/registry" && posted && c.err != nil {
		fail("a message was posted although reading the registry failed")
	}
	if c.err == nil {
		return c.answered(good)
	}
	if !errors.Is(c.err, client.ErrMesh) {
		fail("%v does not match ErrMesh", c.err)
	}
	var row *client.RowError
	if errors.As(c.err, &row) { // returned with the other rows
		return c.verifyRow(row, fail)
	}
	if c.value != nil && !reflect.ValueOf(c.value).IsZero() {
		fail("%v comes with an error", c.value)
	}
	var notFound *client.NotInRegistryError
	if errors.As(c.err, &notFound) {
		return absent
	}
	var failed *client.MeshGatewayError
	if !errors.As(c.err, &failed) {
		fail("%v is not a MeshGatewayError", c.err)
		return "?"
	}
	c.verifyGatewayError(failed, fail)
	return c.kindOf(failed, fail)
}

// verifyRow expects a decode error in a 200 response's row.
func (c *trial) verifyRow(row *client.RowError, fail func(string, ...any)) outcome {
	var broken *wire.Error
	if !errors.As(row, &broken) || c.fault.status != http.StatusOK {
		fail("%v is a RowError", c.err)
	}
	return decode
}

func (c *trial) posted() bool {
	for _, request := range c.server.requests() {
		if request == "POST /messages" {
			return true
		}
	}
	return false
}

func (c *trial) verifyGatewayError(failed *client.MeshGatewayError, fail func(string, ...any)) {
	if named := [2]string{failed.Method, failed.Path}; named != c.op.request {
		fail("the error's request is %v", named)
	}
	if failed.StatusCode != c.fault.status {
		fail("the error has status %d, want %d", failed.StatusCode, c.fault.status)
	}
	// A 2xx response accepts the message, or it isn't the gateway's. The error must say
	// which.
	if accepted := c.op.delivers && c.fault.status/100 == 2; failed.Delivered && !accepted || accepted && failed.Delivered == failed.Uncertain {
		fail("Delivered is %v, Uncertain is %v", failed.Delivered, failed.Uncertain)
	}
	if failed.RetryAfter < c.fault.wait[0] || failed.RetryAfter > c.fault.wait[1] {
		fail("RetryAfter is %v, want %v", failed.RetryAfter, c.fault.wait)
	}
	if !c.shows(c.err.Error()) {
		fail("%q does not contain %q", c.err, c.fault.text)
	}
	if n := len([]rune(failed.Body)); n > 500 {
		fail("the error has %d characters of the body", n)
	}
}

// kindOf classifies an error the way a caller would.
func (c *trial) kindOf(failed *client.MeshGatewayError, fail func(string, ...any)) outcome {
	var auth *client.MeshAuthError
	refused := failed.StatusCode == http.StatusUnauthorized || failed.StatusCode == http.StatusForbidden
	if errors.As(c.err, &auth) != refused {
		fail("status %d is %T", failed.StatusCode, c.err)
	}
	var broken *wire.Error
	switch text := c.err.Error(); {
	case refused:
		if !strings.Contains(text, "MESH_GATEWAY_TOKEN") {
			fail("%q does not advise checking MESH_GATEWAY_TOKEN", text)
		}
		return denied
	case errors.Is(c.err, context.DeadlineExceeded):
		return late
	case errors.Is(c.err, call.ErrTooLarge):
		return large
	case errors.As(c.err, &broken), strings.Contains(text, "not JSON"), strings.Contains(text, "empty body"):
		return decode
	case strings.Contains(text, "redirects are not followed"), strings.Contains(text, "check the base path"):
		return status
	case failed.Err != nil:
		return network
	case failed.StatusCode == http.StatusTooManyRequests:
		return limited
	}
	return status
}
