// Package plain tests that the documents in specs/ serve oapi-codegen without our overlay, configuration and template: its
// clients compile and read recorded responses.
package plain
