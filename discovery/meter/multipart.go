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
	header   bool // in the header of a part
	isModel  bool // the part is the model
	model    string
}

// newMultipartForm returns the form of a content type, or nil for any other one.
func newMultipartForm(contentType string) *multipartForm {
	if !strings.HasPrefix(contentType, "multipart/form-data") {
		return nil
	}
	_, params, _ := mime.ParseMediaType(contentType)
	return &multipartForm{boundary: "--" + params["boundary"]}
}

// Write takes the next piece of the form.
func (f *multipartForm) Write(p []byte) {
	const longest = 1 << 10 // of a line that matters
	for len(p) > 0 && f.model == "" {
		line, rest, ended := bytes.Cut(p, []byte("\n"))
		f.line = append(f.line, line[:min(len(line), longest-len(f.line))]...)
		if p = rest; ended {
			f.take(bytes.TrimSuffix(f.line, []byte("\r")))
			f.line = f.line[:0]
		}
	}
}

// take takes a line.
func (f *multipartForm) take(line []byte) {
	switch {
	case string(line) == f.boundary:
		f.header, f.isModel = true, false
	case f.header && len(line) == 0:
		f.header = false
	case f.header:
		name, value, _ := strings.Cut(string(line), ":")
		_, params, _ := mime.ParseMediaType(value)
		f.isModel = f.isModel || strings.EqualFold(name, "Content-Disposition") && params["name"] == "model"
	case f.isModel:
		f.model, f.isModel = string(line), false
	}
}
