package client

import (
	"context"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/mesh-gateway/mesh-go/gen/gateway"
)

// checkMembers validates the members that a caller adds to a request body of the type request.
func (r *redactor) checkMembers(extra map[string]any, request any) error {
	if len(extra) == 0 {
		return nil
	}
	for name := range extra {
		if err := r.checkExtraName(name, fieldNames(request, "json")); err != nil {
			return err
		}
	}
	_, err := encodeJSON("Extra", extra)
	return err
}

// scanMembers scans members that have been checked for credentials.
func (r *redactor) scanMembers(extra map[string]any, allowed []int) error {
	if len(extra) == 0 {
		return nil
	}
	text, err := encodeJSON("Extra", extra)
	if err != nil {
		return err
	}
	return r.scanAll(jsonTexts(text), allowed)
}

// checkExtraQuery validates the parameters that a caller adds to FetchOptions, and scans them for credentials. The gateway reads
// to_node and from_node as other names of to and from.
func (r *redactor) checkExtraQuery(extra url.Values) error {
	for name := range extra {
		if err := r.checkExtraName(name, append(fieldNames(gateway.ListMessagesParams{}, "form"), "to_node", "from_node")); err != nil {
			return err
		}
	}
	if err := checkQueryTexts("Extra", extra); err != nil {
		return err
	}
	return r.scanAll(queryTexts(extra), nil)
}

func (r *redactor) checkExtraName(name string, taken []string) error {
	if name == "" {
		return invalid("Extra", "must not have an empty name")
	}
	if slices.Contains(taken, name) {
		return r.nameError("Extra", name, "must not have the name of a field")
	}
	return nil
}

// fieldNames returns the names of the fields of a generated struct on the wire.
func fieldNames(of any, tag string) (names []string) {
	for _, field := range reflect.VisibleFields(reflect.TypeOf(of)) {
		name, _, _ := strings.Cut(field.Tag.Get(tag), ",")
		names = append(names, name)
	}
	return names
}

// withParameters adds parameters to the query of a request.
func withParameters(extra url.Values) gateway.RequestEditorFn {
	return func(_ context.Context, req *http.Request) error {
		if len(extra) > 0 {
			query := req.URL.Query()
			for name, values := range extra {
				query[name] = values
			}
			req.URL.RawQuery = query.Encode()
		}
		return nil
	}
}
