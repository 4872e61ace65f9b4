package meter

import (
	"bytes"
	"mime"
	"strings"
)

// multipartForm finds the model in a multipart form, such as that of a transcription, while it is sent. It holds one line.
type multipartForm struct {
	boundary string
	line     []byte
	part     formPart
	model    string
}

// formPart is where a form is: in content that does not matter, in the header of a part, in that of the model, or in the model.
type formPart uint8

const (
	otherContent formPart = iota
	otherHeader
	modelHeader
	modelContent
)

// newMultipartForm returns the form of a content type, or nil for any other one.
func newMultipartForm(contentType string) *multipartForm {
	if !strings.HasPrefix(contentType, "multipart/form-data") {
		return nil
	}
	_, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		return nil
	}
	return &multipartForm{boundary: "--" + params["boundary"]}
}

// Write takes the next piece of the form.
func (f *multipartForm) Write(p []byte) {
	const longest = 1 << 10 // of a line that matters
	for len(p) > 0 && f.model == "" {
		line, rest, ended := bytes.Cut(p, []byte("\n"))
		f.line = append(f.line, line[:min(len(line), longest-len(f.line))]...)
		if p = rest; !ended {
			return
		}
		if f.part != otherContent || bytes.HasPrefix(f.line, []byte("--")) { // most lines are those of a file
			f.take(strings.TrimSuffix(string(f.line), "\r"))
		}
		f.line = f.line[:0]
	}
}

// take takes a line.
func (f *multipartForm) take(line string) {
	name, value, _ := strings.Cut(line, ":")
	switch {
	case line == f.boundary:
		f.part = otherHeader
	case f.part == modelContent:
		f.model, f.part = line, otherContent
	case f.part == otherContent:
	case line == "" && f.part == modelHeader:
		f.part = modelContent
	case line == "":
		f.part = otherContent
	case strings.EqualFold(name, "Content-Disposition"):
		if _, params, err := mime.ParseMediaType(value); err == nil && params["name"] == "model" {
			f.part = modelHeader
		}
	}
}
