package faults_test

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/mesh-gateway/mesh-go/client"
)

// buffered is more than lies in the buffers of a connection: the kernel gives a slow reader tens of megabytes.
const buffered = 64 << 20

// verify returns what the cell shows in the table, and what is wrong with it.
func (c *cell) verify(good any) (seen outcome, wrong []string) {
	complain := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	if c.panicked != "" {
		return "panic", []string{c.panicked}
	}
	if c.op.mesh != nil {
		seen = c.verifyMesh(good, complain)
	} else {
		seen = c.verifyDiscovery(good, complain)
	}
	if !seen.meets(c.want) {
		complain("is %s, want %s", seen, c.want)
	}
	if c.took > c.timeout()+margin || (c.fault.hangs && c.took < impatient/2 && seen == late) {
		complain("took %v", c.took)
	}
	if limit := cmp.Or(c.fault.maxBytes, client.DefaultMaxResponseBytes); int64(c.read) > limit+buffered {
		complain("%d bytes were read, with a limit of %d", c.read, limit)
	}
	if c.left > 0 {
		complain("%d connections are left open", c.left)
	}
	if !validTexts(reflect.ValueOf(c.value)) {
		complain("the value has a text that is not UTF-8: %q", c.value)
	}
	for _, secret := range c.secrets() {
		complain("a credential is in %s", secret)
	}
	return seen, wrong
}

// answered is how a value without a failure compares with the good one.
func (c *cell) answered(good any) outcome {
	switch {
	case reflect.DeepEqual(c.value, good):
		return ok
	case reflect.DeepEqual(c.value, c.op.empty):
		return none
	}
	return some
}

// validTexts reports whether all texts within a value are UTF-8. Raw JSON is as it came, and is no text.
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

// shows reports whether a text tells what the fault says. The catalog is asked without a credential: there is none to redact.
func (c *cell) shows(text string) bool {
	if c.fault.says == redacted && c.op.mesh == nil && c.op.service == "" {
		return true
	}
	return strings.Contains(text, c.fault.says)
}

const redacted = "[REDACTED]"
