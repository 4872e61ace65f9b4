// Package zerovalue calls methods on values that weren't made by their constructor.
package zerovalue

import (
	"context"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/internal/argument"
)

// Check calls every exported method on receiver, a nil pointer or a pointer to a zero
// value. It passes a context, and zero values as other arguments. A method must not
// panic. If it returns or yields an error, that must be a *ValueError, unless the method
// is listed in without.
func Check(t *testing.T, receiver any, without ...string) {
	t.Helper()
	value := reflect.ValueOf(receiver)
	for i := range value.NumMethod() {
		name := value.Type().Method(i).Name
		assert.NotPanics(t, func() {
			var wrong *argument.ValueError
			if err, fails := call(t.Context(), value.Method(i)); fails && !slices.Contains(without, name) {
				assert.ErrorAs(t, err, &wrong, "%T.%s", receiver, name)
			}
		}, "%T.%s", receiver, name)
	}
}

func call(ctx context.Context, method reflect.Value) (err error, fails bool) { //nolint:revive // like a map's value and ok
	var args []reflect.Value
	for i := range method.Type().NumIn() {
		if in := method.Type().In(i); in == reflect.TypeFor[context.Context]() {
			args = append(args, reflect.ValueOf(ctx))
		} else {
			args = append(args, reflect.Zero(in))
		}
	}
	results := method.Call
	if method.Type().IsVariadic() {
		results = method.CallSlice
	}
	for _, result := range results(args) {
		if result.Kind() == reflect.Func && result.Type().CanSeq2() && result.Type().In(0).In(1) == reflect.TypeFor[error]() {
			for _, last := range result.Seq2() {
				result = last
				break
			}
		}
		if result.Type() == reflect.TypeFor[error]() {
			err, _ = result.Interface().(error)
			fails = true
		}
	}
	return err, fails
}
