// Command bundle prints the facts as one text, which mesh update requests.
//
//	go run ./.ci/bundle [PUBLISHED]
//
// It fails if PUBLISHED, the text that is requested now, differs and isn't older:
// installed programs would never take over the new text. PUBLISHED may be missing.
package main

import (
	"log"
	"os"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/facts"
)

func main() {
	var text strings.Builder
	_, _ = facts.BuiltIn().WriteTo(&text) // a strings.Builder never fails
	if len(os.Args) > 1 {
		check(os.Args[1], text.String())
	}
	if _, err := os.Stdout.WriteString(text.String()); err != nil {
		log.Fatal(err)
	}
}

func check(name, text string) {
	published, err := os.ReadFile(name)
	if err != nil || string(published) == text {
		return
	}
	if f, err := facts.Read(strings.NewReader(string(published))); err == nil {
		if err := facts.BuiltIn().Newer(f); err != nil {
			log.Fatal(err, "; run .ci/facts-version")
		}
	}
}
