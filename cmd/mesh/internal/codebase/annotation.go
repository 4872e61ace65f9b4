package codebase

import (
	"fmt"
	"io"
	"strings"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
)

// Annotation is an error that GitHub Actions shows at a line of a file. A Column of 0 is not known.
type Annotation struct {
	File         string
	Line, Column int
	Title, Text  string
}

func writeAnnotations(w io.Writer, list []Annotation) error {
	var lines strings.Builder
	for _, a := range list {
		column := ""
		if a.Column > 0 {
			column = fmt.Sprintf(",col=%d", a.Column)
		}
		fmt.Fprintf(&lines, "::error file=%s,line=%d%s,title=%s::%s\n", property(a.File), a.Line, column, property(a.Title), output.Line(dataEscapes.Replace(a.Text)))
	}
	_, err := io.WriteString(w, lines.String())
	return err
}

// property returns the value of a property. The log of a run can be read on a terminal, which no name may control.
func property(text string) string { return output.Line(propertyEscapes.Replace(text)) }

// The escapes of workflow commands, without which the name of a file could begin another one.
var (
	dataEscapes     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	propertyEscapes = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)
