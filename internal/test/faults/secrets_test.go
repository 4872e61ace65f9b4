package faults_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// peerToken is in the recorded registration response.
const peerToken = "EXAMPLE-peer-token"

// secrets returns where a credential is visible: in the log, or in a formatted error or
// failure.
func (c *trial) secrets() []string {
	var found []string
	look := func(where, text string) {
		if strings.Contains(text, mark) || strings.Contains(text, peerToken) {
			found = append(found, where+": "+text)
		}
	}
	look("the log", c.log.String())
	walk(c.err, func(err error) { look("the error", printed(err)) })
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, failures := range [][]any{anys(c.failures), anys(c.later)} {
		for _, f := range failures {
			walk(f.(error), func(err error) { look("a failure", printed(err)) })
		}
	}
	return found
}

func anys[T any](list []T) []any {
	all := make([]any, 0, len(list))
	for _, v := range list {
		all = append(all, v)
	}
	return all
}

func walk(err error, see func(error)) {
	if err == nil {
		return
	}
	see(err)
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		for _, inner := range many.Unwrap() {
			walk(inner, see)
		}
		return
	}
	walk(errors.Unwrap(err), see)
}

// printed formats v with several verbs and as JSON.
func printed(v any) string {
	text, _ := json.Marshal(v)
	return fmt.Sprintf("%v %+v %#v %q %s %s", v, v, v, v, v, text)
}
