package client

import (
	"context"
	"net/http"
	"net/url"
	"slices"

	"github.com/mesh-gateway/mesh-go/gen/gateway"
)

// The names that the fields of SendRequest, RegisterRequest and FetchOptions have on the wire. Extra takes any other name, also one that
// specs/gateway.yaml describes before its type has a field. The gateway reads to_node and from_node as other names of to and from.
var (
	sendNames     = []string{"from_node", "to_node", "kind", "content", "related_task_id", "thread_id", "idempotency_key"}
	registerNames = []string{"name", "url", "capabilities"}
	fetchNames    = []string{"to", "from", "kind", "thread_id", "unread_only", "since", "limit", "to_node", "from_node"}
)

// checkMembers validates the members that a caller adds to a request body that has others.
func (r *redactor) checkMembers(extra map[string]any, taken []string) error {
	if len(extra) == 0 {
		return nil
	}
	for name := range extra {
		if err := r.checkExtraName(name, taken); err != nil {
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

// checkExtraQuery validates the parameters that a caller adds to FetchOptions, and scans them for credentials.
func (r *redactor) checkExtraQuery(extra url.Values) error {
	for name := range extra {
		if err := r.checkExtraName(name, fetchNames); err != nil {
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
