package codebase

import (
	"fmt"
	"io"
	"strings"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
)

// Annotation writes an annotation of GitHub Actions. level is error or warning. A column of 0 is not known.
func Annotation(w io.Writer, level, file string, line, column int, title, text string) error {
	place := fmt.Sprintf("file=%s,line=%d", property(file), line)
	if column > 0 {
		place += fmt.Sprintf(",col=%d", column)
	}
	_, err := fmt.Fprintf(w, "::%s %s,title=%s::%s\n", level, place, property(title), output.Line(dataEscapes.Replace(text)))
	return err
}

// property returns the value of a property. The log of a run can be read on a terminal, which no name may control.
func property(text string) string { return output.Line(propertyEscapes.Replace(text)) }

// The escapes of workflow commands, without which the name of a file could begin another one.
var (
	dataEscapes     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	propertyEscapes = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)
