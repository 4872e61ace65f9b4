package main

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// relaxErrors makes properties in error bodies optional. An older server or a proxy may
// omit required ones, and that must not cost us the status.
func relaxErrors(doc *openapi3.T) {
	kept := map[*openapi3.Schema]bool{} // also used by other responses
	var bodies []*openapi3.Schema
	eachResponse(doc, func(_, status, _ string, schema *openapi3.SchemaRef) {
		isError := strings.IndexByte("45d", status[0]) >= 0 // d is default
		_ = schema.WalkSubtree(func(_ string, ref *openapi3.SchemaRef) error {
			if isError {
				bodies = append(bodies, ref.Value)
			} else {
				kept[ref.Value] = true
			}
			if ref.Value.Extensions["x-go-type"] != nil { // the facade reads it
				return openapi3.SkipSubtree
			}
			return nil
		})
	})
	for _, s := range bodies {
		if !kept[s] {
			s.Required = nil
		}
	}
}

// eachResponse calls fn for every response. schema may be nil.
func eachResponse(doc *openapi3.T, fn func(operation, status, mediaType string, schema *openapi3.SchemaRef)) {
	for path, item := range doc.Paths.Map() {
		for method, operation := range item.Operations() {
			for status, response := range operation.Responses.Map() {
				for mediaType, media := range response.Value.Content {
					fn(method+" "+path, status, mediaType, media.Schema)
				}
			}
		}
	}
}

var stream = regexp.MustCompile(`^application/(x-ndjson|ndjson|jsonl|json-seq)\b`)

// checkStreams refuses responses with multiple JSON values, which the generated code
// would read as one.
func checkStreams(doc *openapi3.T) (err error) {
	eachResponse(doc, func(operation, status, mediaType string, _ *openapi3.SchemaRef) {
		if name := stream.FindString(mediaType); name != "" {
			err = fmt.Errorf("%s: the response %s is a stream of JSON values (%s), which the generated code would read as one; "+
				"remove the response in an overlay, or leave the operation out with -operations", operation, status, name)
		}
	})
	return err
}
