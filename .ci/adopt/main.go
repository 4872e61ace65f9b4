// Command adopt compares a gateway's document, as internal/generate -normalize writes it,
// with specs/gateway.yaml. It prints what differs in responses, and the lines to paste
// for new optional parameters and members of requests.
//
//	go run ./.ci/adopt [-live URL] [-write] DOCUMENT
//
// With -live and MESH_GATEWAY_TOKEN it asks a gateway once for its peers, messages and
// threads, and lists the members that specs/gateway.yaml lacks by their JSON types. With
// -write it adds new response members to specs/gateway.yaml. The exit status is 1 if
// something differs, 2 after an error.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
)

const ours = "specs/gateway.yaml"

func main() {
	live := flag.String("live", "", "the base URL of a gateway to ask")
	write := flag.Bool("write", false, "add response members to "+ours)
	flag.Parse()
	differs, err := run(flag.Arg(0), *live, *write)
	if err != nil {
		fmt.Fprintln(os.Stderr, "adopt:", err)
		os.Exit(2)
	}
	if differs {
		os.Exit(1)
	}
}

func run(theirs, live string, write bool) (bool, error) {
	source, err := os.ReadFile(ours)
	if err != nil {
		return false, err
	}
	a, err := openapi3.NewLoader().LoadFromData(source)
	if err != nil {
		return false, fmt.Errorf("%s: %w", ours, err)
	}
	b, err := openapi3.NewLoader().LoadFromFile(theirs)
	if err != nil {
		return false, err
	}
	found := compare(a, b)
	if live != "" {
		members, err := look(context.Background(), live, os.Getenv("MESH_GATEWAY_TOKEN"))
		if err != nil {
			return false, err
		}
		found = append(found, unknown(a, members)...)
	}
	found = slices.CompactFunc(found, func(a, b change) bool { return a.line() == b.line() })
	for _, c := range found {
		if c.response { // oasdiff has the others
			fmt.Println(c.line())
		}
	}
	text := string(source)
	var added []change
	for _, c := range found {
		next, yaml, line, err := insert(text, c)
		switch {
		case c.yaml == "":
		case err != nil:
			fmt.Printf("\n%s: %v\n", c.where, err)
		case write && c.response:
			if !slices.ContainsFunc(added, func(other change) bool { return slices.Equal(other.path, c.path) && other.name == c.name }) {
				text, added = next, append(added, c)
			}
		default:
			fmt.Printf("\n%s: after line %d of %s%s:\n%s", c.where, line, ours, c.follows(), yaml)
		}
	}
	if write && len(added) > 0 {
		return false, adopt(text, added)
	}
	return slices.ContainsFunc(found, func(c change) bool { return c.response }), nil
}
