package main

import "github.com/mesh-gateway/mesh-go/scan"

// finding is a credential at a line and a column of a file, both from 1. The column counts characters. It does not contain the
// credential.
type finding struct {
	File      string `json:"file"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	Rule      int    `json:"rule"`
	Name      string `json:"name"`
	Heuristic bool   `json:"heuristic"`
	Advice    string `json:"advice"`
}

// findingsIn returns the findings in the content of a file. It turns offsets, which are in order, into lines and columns in one pass.
func findingsIn(scanner *scan.Scanner, file, content string) []finding {
	found := scanner.FindAll(content)
	list := make([]finding, len(found))
	line, column, next := 1, 1, 0
	for offset, r := range content {
		for next < len(found) && found[next].Start <= offset {
			rule := found[next].Rule
			list[next] = finding{file, line, column, rule.Number, rule.Name, rule.Heuristic(), rule.Advice}
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
