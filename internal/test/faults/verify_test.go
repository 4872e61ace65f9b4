package faults_test

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/mesh-gateway/mesh-go/client"
)

// buffered exceeds a connection's buffers: the kernel holds tens of megabytes for a slow
// reader.
const buffered = 64 << 20

// verify returns a trial's outcome and everything wrong with it.
func (c *trial) verify(good any) (seen outcome, wrong []string) {
	fail := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	if c.panicked != "" {
		return "panic", []string{c.panicked}
	}
	if c.op.mesh != nil {
		seen = c.verifyMesh(good, fail)
	} else {
		seen = c.verifyDiscovery(good, fail)
	}
	if !seen.meets(c.want) {
		fail("is %s, want %s", seen, c.want)
	}
	if c.took > c.timeout()+margin || (c.fault.hangs && c.took < shortTimeout/2 && seen == late) {
		fail("took %v", c.took)
	}
	if limit := cmp.Or(c.fault.maxBytes, client.DefaultMaxResponseBytes); int64(c.read) > limit+buffered {
		fail("%d bytes were read, with a limit of %d", c.read, limit)
	}
	if c.left > 0 {
		fail("%d connections left open", c.left)
	}
	if !validTexts(reflect.ValueOf(c.value)) {
		fail("the value has invalid UTF-8: %q", c.value)
	}
	for _, secret := range c.secrets() {
		fail("a credential is visible in %s", secret)
	}
	return seen, wrong
}

func (c *trial) answered(good any) outcome {
	switch {
	case reflect.DeepEqual(c.value, good):
		return ok
	case reflect.DeepEqual(c.value, c.op.empty):
		return none
	}
	return some
}

// validTexts reports whether all strings are valid UTF-8. Raw JSON is kept as received,
// so it isn't checked.
func validTexts(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.String:
		return utf8.ValidString(v.String())
	case reflect.Pointer, reflect.Interface:
		return v.IsNil() || validTexts(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if !validTexts(v.Field(i)) {
				return false
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			if v.Type().Elem().Kind() == reflect.Uint8 || !validTexts(v.Index(i)) {
				return v.Type().Elem().Kind() == reflect.Uint8
			}
		}
	case reflect.Map:
		for entries := v.MapRange(); entries.Next(); {
			if !validTexts(entries.Key()) || !validTexts(entries.Value()) {
				return false
			}
		}
	default:
	}
	return true
}

// shows reports whether text contains the fault's text. Catalog requests have no
// credential to redact. While a shared request is open, its response is unknown.
func (c *trial) shows(text string) bool {
	if c.op.shared && c.fault.hangs {
		return true
	}
	if c.fault.text == redacted && c.op.mesh == nil && c.op.service == "" {
		return true
	}
	return strings.Contains(text, c.fault.text)
}

const redacted = "[REDACTED]"
