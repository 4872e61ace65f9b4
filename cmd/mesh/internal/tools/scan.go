package tools

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/findings"
	"github.com/mesh-gateway/mesh-go/scan"
)

// scanTool is the tool that finds credentials.
type scanTool struct{ scanner *scan.Scanner }

func addScanTool(server *mcp.Server, t *scanTool) {
	add(server, "scan_text", "Find credentials",
		"Find credentials in a text by their format. The result has rules and offsets, never the credential.", t.scan, reads, locally)
}

type scanArguments struct {
	Text string `json:"text" jsonschema:"the text; it is not sent anywhere"`
}

type toolFindings struct {
	Findings []toolFinding `json:"findings"`
}

type toolFinding struct {
	Rule      string `json:"rule"`
	Heuristic bool   `json:"heuristic" jsonschema:"the rule also matches harmless text"`
	Advice    string `json:"advice"`
	Start     int    `json:"start" jsonschema:"byte offset"`
	End       int    `json:"end" jsonschema:"byte offset of the end, exclusive"`
}

func (t *scanTool) scan(_ context.Context, in scanArguments) (toolFindings, error) {
	found := t.scanner.FindAll(in.Text)
	out := toolFindings{make([]toolFinding, len(found))}
	for i, f := range found {
		out.Findings[i] = toolFinding{f.Rule.Name, findings.Heuristic(f.Rule), f.Rule.Advice, f.Start, f.End}
	}
	return out, nil
}
