// Command bundle prints the facts as one text, which mesh update requests.
package main

import (
	"log"
	"os"

	"github.com/mesh-gateway/mesh-go/discovery/facts"
)

func main() {
	if _, err := facts.BuiltIn().WriteTo(os.Stdout); err != nil {
		log.Fatal(err)
	}
}
