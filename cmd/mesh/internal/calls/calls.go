// Package calls prices the calls of a file with a JSON object in each line: the usage object of a provider's answer, and what
// the object does not hold itself.
package calls

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/lookup"
	"github.com/mesh-gateway/mesh-go/discovery"
)

// Call is a call with its cost, which is nil when it is not known; Unpriced then is the reason.
type Call struct {
	Line     int                 `json:"line"`
	Provider discovery.Provider  `json:"provider"`
	Model    string              `json:"model"`
	Time     time.Time           `json:"time"`
	Cost     *discovery.CallCost `json:"cost"`
	Unpriced error               `json:"-"`
}

// LineError is the error of a line.
type LineError struct {
	File string
	Line int
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err) }
func (e *LineError) Unwrap() error { return e.Err }

// maxLine bounds a line, in bytes.
const maxLine = 1 << 20

// Price yields the calls of a file one by one, so that a file may be of any size. It ends with the first error, since the
// calls of a line that cannot be read would be missing. Blank lines are skipped.
func Price(prices *discovery.PriceList, file string, in io.Reader) iter.Seq2[Call, error] {
	return func(yield func(Call, error) bool) {
		lines := bufio.NewScanner(in)
		lines.Buffer(nil, maxLine)
		number := 1
		for ; lines.Scan(); number++ {
			if len(bytes.TrimSpace(lines.Bytes())) == 0 {
				continue
			}
			call, err := price(prices, lines.Bytes())
			if err != nil {
				yield(Call{}, &LineError{file, number, err})
				return
			}
			call.Line = number
			if !yield(call, nil) {
				return
			}
		}
		if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
			yield(Call{}, &LineError{file, number, fmt.Errorf("a line must not have more than %d bytes", maxLine)})
		} else if err != nil {
			yield(Call{}, &LineError{file, number, err})
		}
	}
}

// line is a line of the file.
type line struct {
	Provider string          `json:"provider"`
	Model    string          `json:"model"`
	Time     time.Time       `json:"time"`
	Mode     string          `json:"mode"`
	Usage    json.RawMessage `json:"usage"`
}

// errLine is the error of a line that is no such object.
var errLine = errors.New("a line must be a JSON object with provider, model, time (RFC 3339) and usage")

// gzipped are the first bytes of a file that gzip has compressed.
var gzipped = []byte{0x1f, 0x8b}

func price(prices *discovery.PriceList, text []byte) (Call, error) {
	var in line
	if bytes.HasPrefix(text, gzipped) {
		return Call{}, errors.New("the file is compressed: gunzip -c FILE | mesh usage -")
	}
	if json.Unmarshal(text, &in) != nil {
		return Call{}, errLine
	}
	if in.Time.IsZero() {
		return Call{}, errors.New("time is missing; it must be an RFC 3339 time")
	}
	p, err := lookup.Provider(in.Provider, in.Model)
	if err != nil {
		return Call{}, err
	}
	usage, err := discovery.ParseUsage(p, in.Usage)
	if err != nil {
		return Call{}, err
	}
	call := Call{Provider: p, Model: in.Model, Time: in.Time}
	cost, err := prices.CostOf(discovery.Call{Provider: p, Model: in.Model, Usage: usage, At: in.Time, Mode: in.Mode})
	switch {
	case errors.Is(err, discovery.ErrUnpriced):
		call.Unpriced = err
	case err != nil:
		return Call{}, err
	default:
		call.Cost = &cost
	}
	return call, nil
}
