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

// verifyMesh looks at a result of the gateway's client: the value alone, or an error alone that matches ErrMesh and tells what
// was asked and answered (DESIGN.md section 3, Errors).
func (c *cell) verifyMesh(good any, complain func(string, ...any)) outcome {
	if posted := c.posted(); c.op.name == "Send/registry" && posted && c.err != nil {
		complain("a message was posted although the registry could not be read")
	}
	if c.err == nil {
		return c.answered(good)
	}
	if !errors.Is(c.err, client.ErrMesh) {
		complain("%v does not match ErrMesh", c.err)
	}
	if c.value != nil && !reflect.ValueOf(c.value).IsZero() {
		complain("%v comes with an error", c.value)
	}
	var nobody *client.NotInRegistryError
	if errors.As(c.err, &nobody) {
		return absent
	}
	var failed *client.MeshGatewayError
	if !errors.As(c.err, &failed) {
		complain("%v is no MeshGatewayError", c.err)
		return "?"
	}
	c.verifyGatewayError(failed, complain)
	return c.kindOf(failed, complain)
}

func (c *cell) posted() bool {
	for _, request := range c.front.requests() {
		if request == "POST /messages" {
			return true
		}
	}
	return false
}

func (c *cell) verifyGatewayError(failed *client.MeshGatewayError, complain func(string, ...any)) {
	if asked := [2]string{failed.Method, failed.Path}; asked != c.op.request {
		complain("the error says that %v was asked", asked)
	}
	if failed.StatusCode != c.fault.status {
		complain("the error has status %d, want %d", failed.StatusCode, c.fault.status)
	}
	if delivered := c.op.delivers && c.fault.status/100 == 2; failed.Delivered != delivered {
		complain("Delivered is %v", failed.Delivered)
	}
	if failed.RetryAfter < c.fault.wait[0] || failed.RetryAfter > c.fault.wait[1] {
		complain("RetryAfter is %v, want %v", failed.RetryAfter, c.fault.wait)
	}
	if !c.shows(c.err.Error()) {
		complain("%q does not say %q", c.err, c.fault.says)
	}
	if n := len([]rune(failed.Body)); n > 500 {
		complain("the error has %d characters of the body", n)
	}
}

// kindOf tells errors of the gateway's client apart as a caller would.
func (c *cell) kindOf(failed *client.MeshGatewayError, complain func(string, ...any)) outcome {
	var auth *client.MeshAuthError
	refused := failed.StatusCode == http.StatusUnauthorized || failed.StatusCode == http.StatusForbidden
	if errors.As(c.err, &auth) != refused {
		complain("status %d is %T", failed.StatusCode, c.err)
	}
	var broken *wire.Error
	switch text := c.err.Error(); {
	case refused:
		if !strings.Contains(text, "MESH_GATEWAY_TOKEN") {
			complain("%q does not advise checking MESH_GATEWAY_TOKEN", text)
		}
		return denied
	case errors.Is(c.err, context.DeadlineExceeded):
		return late
	case errors.Is(c.err, call.ErrTooLarge):
		return large
	case errors.As(c.err, &broken), strings.Contains(text, "not JSON"), strings.Contains(text, "empty body"):
		return decode
	case failed.Err != nil:
		return network
	case failed.StatusCode == http.StatusTooManyRequests:
		return limited
	}
	return status
}
