// Package findings locates credentials in files, for mesh scan.
package findings

import "github.com/mesh-gateway/mesh-go/scan"

// Finding is a credential at a line and a column of a file, both from 1. The column counts characters. It does not contain the
// credential.
type Finding struct {
	File      string `json:"file"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	Rule      int    `json:"rule"`
	Name      string `json:"name"`
	Heuristic bool   `json:"heuristic"`
	Advice    string `json:"advice"`
}

// Heuristic reports whether a rule also matches harmless text of the same format: a run of 40 characters before the word aws,
// or of 48 before the name of the gateway token.
func Heuristic(rule scan.Rule) bool { return rule.Number == 10 || rule.Number == 12 }

// In returns the findings in the content of a file. It turns offsets, which are in order, into lines and columns in one pass.
func In(scanner *scan.Scanner, file, content string) []Finding {
	found := scanner.FindAll(content)
	list := make([]Finding, len(found))
	line, column, next := 1, 1, 0
	for offset, r := range content {
		for next < len(found) && found[next].Start <= offset {
			rule := found[next].Rule
			list[next] = Finding{file, line, column, rule.Number, rule.Name, Heuristic(rule), rule.Advice}
			next++
		}
		if next == len(found) {
			break
		}
		if column++; r == '\n' {
			line, column = line+1, 1
		}
	}
	return list
}
