// Command scan measures package scan.
package main

import (
	"os"

	"github.com/mesh-gateway/mesh-go/.ci/bench/measure"
	"github.com/mesh-gateway/mesh-go/scan"
)

func main() {
	measure.Main(map[string]func() func(){"find": func() func() {
		text, err := os.ReadFile("prose.txt")
		measure.Must(err)
		prose := string(text)
		return func() {
			if finding, found := scan.Find(prose); found {
				panic(finding.String())
			}
		}
	}})
}
