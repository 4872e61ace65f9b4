package faults_test

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/mesh-gateway/mesh-go/client"
)

// buffered is more than the buffers of a connection hold: the kernel buffers tens of megabytes for a slow reader.
const buffered = 64 << 20

// verify returns the outcome of a trial and a description of everything wrong with it.
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
		fail("%d connections are left open", c.left)
	}
	if !validTexts(reflect.ValueOf(c.value)) {
		fail("the value has a text that is not UTF-8: %q", c.value)
	}
	for _, secret := range c.secrets() {
		fail("a credential is visible in %s", secret)
	}
	return seen, wrong
}

// answered compares a value without a failure with the good one.
func (c *trial) answered(good any) outcome {
	switch {
	case reflect.DeepEqual(c.value, good):
		return ok
	case reflect.DeepEqual(c.value, c.op.empty):
		return none
	}
	return some
}

// validTexts reports whether all strings in a value are UTF-8. Raw JSON is kept as received and is not checked.
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

// shows reports whether text contains the text of the fault. Catalog requests have no credential to redact, and nothing of the
// response to a shared request is known while it is open.
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
