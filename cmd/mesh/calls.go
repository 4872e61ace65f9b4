package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// maxLine bounds a line of a usage file, in bytes.
const maxLine = 1 << 20

// call is one line of a usage file: the usage object of an answer, and what the object does not hold itself.
type call struct {
	Provider string          `json:"provider"`
	Model    string          `json:"model"`
	Time     time.Time       `json:"time"`
	Mode     string          `json:"mode"`
	Usage    json.RawMessage `json:"usage"`
}

// pricedCall is a call with its cost, which is nil when it is not known.
type pricedCall struct {
	Line     int                 `json:"line"`
	Provider discovery.Provider  `json:"provider"`
	Model    string              `json:"model"`
	Time     time.Time           `json:"time"`
	Cost     *discovery.CallCost `json:"cost"`
}

// priceCalls prices the calls of a usage file, or of stdin for "-", and passes them to each.
func (a *app) priceCalls(ctx context.Context, c *discovery.Client, file string, each func(pricedCall)) error {
	in, done, err := a.open(file)
	if err != nil {
		return err
	}
	defer done()
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	for number := 1; lines.Scan(); number++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		priced, err := priceCall(ctx, c, lines.Bytes())
		if err != nil {
			return usagef("%s:%d: %s", file, number, explain(err))
		}
		priced.Line = number
		each(priced)
	}
	if err := lines.Err(); err != nil {
		return usagef("%s: %w", file, err)
	}
	return nil
}

func priceCall(ctx context.Context, c *discovery.Client, line []byte) (pricedCall, error) {
	var in call
	if err := json.Unmarshal(line, &in); err != nil {
		return pricedCall{}, usagef("a line must be a JSON object with provider, model, time (RFC 3339) and usage")
	}
	if in.Time.IsZero() {
		return pricedCall{}, usagef("time is missing; it must be an RFC 3339 time")
	}
	p, err := providerOf(in.Provider, in.Model)
	if err != nil {
		return pricedCall{}, err
	}
	usage, err := discovery.ParseUsage(p, in.Usage)
	if err != nil {
		return pricedCall{}, err
	}
	cost, err := c.CostOf(ctx, discovery.CostQuery{Provider: p, Model: in.Model, Usage: usage, At: in.Time, Mode: in.Mode})
	return pricedCall{Provider: p, Model: in.Model, Time: in.Time, Cost: cost}, err
}

// open opens a file, or stdin for "-".
func (a *app) open(file string) (in io.Reader, done func(), err error) {
	if file == "-" {
		return a.in, func() {}, nil
	}
	f, err := os.Open(file) //nolint:gosec // the user names the file
	if err != nil {
		return nil, nil, &usageError{err}
	}
	return f, func() { _ = f.Close() }, nil
}
