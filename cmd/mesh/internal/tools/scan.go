package tools

import (
	"context"

	"github.com/mesh-gateway/mesh-go/scan"
)

type scanArguments struct {
	Text string `json:"text" jsonschema:"not sent anywhere"`
	skipArguments
}

type toolFindings struct {
	Findings []toolFinding `json:"findings"`
	NextSkip int           `json:"next_skip,omitempty"`
}

type toolFinding struct {
	Rule      string `json:"rule"`
	Heuristic bool   `json:"heuristic"`
	Advice    string `json:"advice"`
	Start     int    `json:"start"`
	End       int    `json:"end"`
}

func (t *meshTools) scan(_ context.Context, in scanArguments) (toolFindings, error) {
	found, next := part(t.scanner.FindAll(in.Text), in.Skip, func(f scan.Finding) toolFinding {
		return toolFinding{f.Rule.Name, f.Rule.Heuristic(), f.Rule.Advice, f.Start, f.End}
	})
	return toolFindings{found, next}, nil
}
