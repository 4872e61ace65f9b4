package main

import (
	"context"
	"os"

	"github.com/mesh-gateway/mesh-go/scan"
)

type scanArguments struct {
	Text string `json:"text"`
}

type toolFindings struct {
	Findings []toolFinding `json:"findings"`
}

type toolFinding struct {
	Rule      string `json:"rule"`
	Heuristic bool   `json:"heuristic" jsonschema:"the rule also matches harmless text"`
	Advice    string `json:"advice"`
	Start     int    `json:"start" jsonschema:"byte offset"`
	End       int    `json:"end" jsonschema:"byte offset behind the credential"`
}

func scanText(_ context.Context, in scanArguments) (toolFindings, error) {
	found := scan.New(scan.WithLiveToken(os.Getenv("MESH_GATEWAY_TOKEN")), scan.WithExtendedRules()).FindAll(in.Text)
	out := toolFindings{make([]toolFinding, len(found))}
	for i, f := range found {
		out.Findings[i] = toolFinding{f.Rule.Name, heuristic(f.Rule), f.Rule.Advice, f.Start, f.End}
	}
	return out, nil
}
