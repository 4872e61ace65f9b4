// Package methods calls the methods of package client, for its tests and
// internal/test/faults. A new method needs no entry here unless a default argument is
// invalid for it.
package methods

import (
	"context"
	"reflect"
	"slices"

	"github.com/mesh-gateway/mesh-go/client"
)

// Method is a client.MeshClient method that sends one request.
type Method struct {
	Name string
	Call func(context.Context, *client.MeshClient) (any, error) // with valid arguments
	List bool                                                   // an empty body is an empty list
}

// special has the methods that the tests call in their own ways: operations in
// client/main_test.go and meshOperations in internal/test/faults.
var special = []string{
	"CheckSend", "Do", "Fetch", "FindThread", "GetPeer", "Health", "ListMessages", "ListPeers", "MarkRead", "Reply", "Send", "Sent",
}

// ThreadID is the GetThread argument.
const ThreadID = "3f0f8a53-0000-4000-8000-000000000000"

// arguments are texts by method or options field. Others are "node-a".
var arguments = map[string]string{
	"GetThread": ThreadID, "OpenThread": "node-a↔node-b:builds", "Topic": "builds", "URL": "http://node-a:8787",
}

// Gateway are the methods that are not special.
var Gateway = func() (all []Method) {
	of := reflect.TypeFor[*client.MeshClient]()
	for i := range of.NumMethod() {
		method := of.Method(i)
		takes := method.Type
		if takes.NumIn() < 2 || takes.In(1) != reflect.TypeFor[context.Context]() || slices.Contains(special, method.Name) {
			continue
		}
		result := takes.NumOut() - 2 // before the error
		all = append(all, Method{
			Name: method.Name,
			List: takes.NumOut() == 2 && takes.Out(0).Kind() == reflect.Slice,
			Call: func(ctx context.Context, c *client.MeshClient) (any, error) {
				in := []reflect.Value{reflect.ValueOf(c), reflect.Zero(takes.In(1))}
				if ctx != nil {
					in[1] = reflect.ValueOf(ctx)
				}
				for i := 2; i < takes.NumIn(); i++ {
					in = append(in, argument(takes.In(i), method.Name))
				}
				out := method.Func.Call(in)
				err, _ := out[len(out)-1].Interface().(error)
				if result < 0 {
					return nil, err
				}
				return out[result].Interface(), err
			},
		})
	}
	return all
}()

func argument(kind reflect.Type, name string) reflect.Value {
	value := reflect.New(kind).Elem()
	switch kind.Kind() {
	case reflect.String:
		value.SetString("node-a")
		if text, ok := arguments[name]; ok {
			value.SetString(text)
		}
	case reflect.Int, reflect.Int64:
		value.SetInt(1)
	case reflect.Struct:
		for i := range kind.NumField() {
			if kind.Field(i).IsExported() {
				value.Field(i).Set(argument(kind.Field(i).Type, kind.Field(i).Name))
			}
		}
	default: // its zero value
	}
	return value
}
