// Package plain tests that specs/ works with plain oapi-codegen, without our overlay,
// configuration and template: clients compile and read recorded responses.
package plain
