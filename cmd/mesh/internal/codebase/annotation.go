package codebase

import (
	"fmt"
	"io"
	"strings"
)

// Annotation writes an annotation of GitHub Actions. level is error or warning. A column of 0 is not known.
func Annotation(w io.Writer, level, file string, line, column int, title, text string) error {
	place := fmt.Sprintf("file=%s,line=%d", propertyEscapes.Replace(file), line)
	if column > 0 {
		place += fmt.Sprintf(",col=%d", column)
	}
	_, err := fmt.Fprintf(w, "::%s %s,title=%s::%s\n", level, place, propertyEscapes.Replace(title), dataEscapes.Replace(text))
	return err
}

// The escapes of workflow commands, without which the name of a file could begin another one.
var (
	dataEscapes     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	propertyEscapes = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)
