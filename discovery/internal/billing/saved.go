package billing

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

// BillError reports an error in a saved bill. Line is where the page or row starts, or
// where the JSON is invalid, or 0 for the whole file. Err never quotes the bill.
type BillError struct {
	Line int
	Err  error
}

// Error returns the line and the cause.
func (e *BillError) Error() string {
	if e.Line == 0 {
		return "discovery: the bill: " + e.Err.Error()
	}
	return fmt.Sprintf("discovery: line %d of the bill: %v", e.Line, e.Err)
}

// Unwrap returns Err.
func (e *BillError) Unwrap() error { return e.Err }

var (
	errTooLarge = errors.New("the file is too large")
	errSyntax   = errors.New("it is not valid JSON")
	errNoPage   = errors.New("the file has no bill")
)

// maxFile bounds a file that is read whole, maxLine a line in an export.
const (
	maxFile = 512 << 20
	maxLine = 16 << 20
)

// value is JSON in a file, and the line where it starts.
type value struct {
	line int
	raw  json.RawMessage
}

// values yields a file's JSON values, or an array's elements.
func values(r io.Reader) iter.Seq2[value, error] {
	return func(yield func(value, error) bool) {
		data, err := io.ReadAll(io.LimitReader(r, maxFile+1))
		if err == nil && len(data) > maxFile {
			err = errTooLarge
		}
		if err != nil {
			yield(value{}, &BillError{Err: err})
			return
		}
		data = bytes.TrimPrefix(data, []byte("\uFEFF"))
		var d jsonread.Decoder
		d.Reset(data)
		v, counted := value{line: 1}, 0
		count := func() { // the lines before the next value
			v.line += bytes.Count(data[counted:d.Offset()], []byte("\n"))
			counted = d.Offset()
		}
		next, end := func() bool { return !d.AtEnd() }, func() error { return nil }
		if d.Next() == jsonread.Array {
			elements := d.Array()
			next, end = elements.Next, elements.Err
		}
		for next() {
			count()
			raw, err := d.Raw()
			if v.raw = raw; err != nil {
				count()
				yield(v, &BillError{v.line, jsonError(err)})
				return
			}
			if !yield(v, nil) {
				return
			}
		}
		if err := end(); err != nil {
			count()
			yield(v, &BillError{v.line, jsonError(err)})
		}
	}
}

// jsonError describes invalid JSON without quoting it.
func jsonError(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("it ends within a JSON value")
	}
	return errSyntax
}

// read adds each value to a provider's bill, and returns the last one's line. own is the
// provider, or "" if add also tries others.
func read(all iter.Seq2[value, error], own string, add func(raw json.RawMessage) error) (line int, err error) {
	for v, err := range all {
		if err != nil {
			return 0, err
		}
		if err := withoutContent(add(v.raw)); err != nil {
			return 0, &BillError{v.line, ofOther(own, v.raw, err)}
		}
		line = v.line
	}
	if line == 0 {
		return 0, &BillError{1, errNoPage}
	}
	return line, nil
}

// ReadPages returns the days in a file with OpenAI's or Anthropic's pages.
func ReadPages(r io.Reader, decode func([]byte) (Page, error)) ([]Day, error) {
	var costs, usage Page
	line, err := read(values(r), "", func(raw json.RawMessage) error {
		page, err := decode(raw)
		report := &costs
		if page.Usage {
			report = &usage
		}
		report.Days, report.More = append(report.Days, page.Days...), page.More
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case costs.More || usage.More:
		return nil, &BillError{line, errors.New("has_more is true, but no page follows: the bill is not complete")}
	}
	return WithUsage(costs.Days, usage.Days), nil
}

// ofOther replaces err if the page is another provider's bill. It doesn't try own again,
// which has already failed.
func ofOther(own string, raw []byte, err error) error {
	var name string
	for provider, has := range map[string]func() bool{
		"openai":    func() bool { _, err := OpenAIPage(raw); return err == nil },
		"anthropic": func() bool { _, err := AnthropicPage(raw); return err == nil },
		"xai":       func() bool { var u XAIUsage; return u.UnmarshalJSON(raw) == nil && len(u.TimeSeries) > 0 },
		"gemini":    func() bool { var row googleRow; return json.Unmarshal(raw, &row) == nil && row.Service != nil },
	} {
		if provider == own || !has() {
			continue
		}
		if name != "" { // an empty page may belong to either provider
			return err
		}
		name = provider
	}
	if name == "" {
		return err
	}
	return otherError(name)
}

// ErrOther matches the error for another provider's bill.
var ErrOther = errors.New("it is another provider's bill")

type otherError string

func (e otherError) Error() string { return "it is a bill from " + string(e) }

func (otherError) Is(target error) bool { return target == ErrOther }

// lines yields a file's lines that aren't blank, or an array's elements.
func lines(r io.Reader) iter.Seq2[value, error] {
	return func(yield func(value, error) bool) {
		in := bufio.NewReaderSize(r, 64<<10)
		head, _ := in.Peek(4096)
		if bytes.HasPrefix(bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\uFEFF"))), []byte("[")) {
			values(in)(yield)
			return
		}
		scanner := bufio.NewScanner(in)
		scanner.Buffer(nil, maxLine)
		v := value{}
		for scanner.Scan() {
			v.line++
			v.raw = bytes.TrimSpace(bytes.TrimPrefix(scanner.Bytes(), []byte("\uFEFF")))
			if len(v.raw) > 0 && !yield(v, nil) {
				return
			}
		}
		switch err := scanner.Err(); {
		case errors.Is(err, bufio.ErrTooLong):
			yield(value{}, &BillError{v.line + 1, errTooLarge})
		case err != nil:
			yield(value{}, &BillError{Err: err})
		}
	}
}
