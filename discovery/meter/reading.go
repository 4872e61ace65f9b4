package meter

import (
	"cmp"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/internal/endpoints"
	"github.com/mesh-gateway/mesh-go/discovery/internal/response"
	"github.com/mesh-gateway/mesh-go/discovery/internal/skim"
	"github.com/mesh-gateway/mesh-go/discovery/internal/usage"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/argument"
)

// reading is the body of a response, which reads the counts as the caller reads the body.
type reading struct {
	io.ReadCloser
	mu sync.Mutex // Close may be called during a Read

	call   *call
	status int
	done   bool

	gunzip *gunzip
	body   *skim.Body
	reader *response.Reader
	err    error // why the response cannot be unpacked
	// requestID is the id of a response of Converse, whose body has none.
	requestID string
}

func newReading(c *call, res *http.Response) *reading {
	r := &reading{ReadCloser: res.Body, call: c, status: res.StatusCode, reader: response.New(c.target.Form)}
	r.body = skim.NewBody(r.reader, res.Header.Get("Content-Type"), c.target.Stream)
	r.reader.Headers(res.Header.Get)
	if id := res.Header.Get("X-Amzn-Requestid"); c.target.Form == usage.Converse && len(id) <= response.MaxName {
		r.requestID = id
	}
	switch strings.ToLower(res.Header.Get("Content-Encoding")) {
	case "", "identity":
	case "gzip", "x-gzip":
		r.gunzip = newGunzip(r.plain)
	default:
		r.err = errors.New("the response has an encoding that is not read: " + cmp.Or(argument.Shown(res.Header.Get("Content-Encoding")), "unknown"))
	}
	return r
}

// write takes bytes of the body.
func (r *reading) write(p []byte) {
	switch {
	case len(p) == 0 || r.done || r.err != nil || !endpoints.Bills(r.status):
	case r.gunzip != nil:
		r.gunzip.Write(p)
		if r.done {
			r.gunzip.Close() // the caller may neither read on nor close the response
		}
	default:
		r.plain(p)
	}
}

// plain takes bytes of the unpacked body. After the final counts the call is recorded at once: the caller may neither read on nor close
// the response.
func (r *reading) plain(p []byte) {
	r.body.Write(p)
	if r.body.Done() && !r.done && r.reader.Final() {
		r.finish("")
	}
}

// end records the call if its final counts were not read. reason is why not.
func (r *reading) end(reason string) {
	if r.gunzip != nil {
		r.gunzip.Close()
	}
	if r.done {
		return
	}
	r.body.Flush()
	r.finish(r.reason(reason))
}

// reason returns why there are no final counts.
func (r *reading) reason(ended string) string {
	switch {
	case r.err != nil:
		return r.err.Error()
	case r.gunzip != nil && errors.Is(r.gunzip.err, errNotGzip):
		return errNotGzip.Error()
	}
	return r.body.Reason(ended)
}

// finish records the call, unless it turns out to be none.
func (r *reading) finish(reason string) {
	r.done = true
	c, record := r.call, r.call.record(r.status)
	record.Stream = r.body.Stream()
	if !endpoints.Bills(r.status) {
		if c.target.Stored || c.target.Unknown {
			c.settle(nil)
			return
		}
		record.USD = "0"
		c.finish(record)
		return
	}
	result, err := r.reader.Result()
	result.Usage.SetPath(c.path)
	r.fill(&record, &result)
	if (c.target.Stored || result.Background) && !c.inBackground(&record, &result) {
		return
	}
	if c.target.Unknown && err == nil && result.Model == "" && result.Object == nil {
		c.settle(nil)
		return
	}
	switch {
	case c.target.Uncounted != "":
		record.Unpriced = c.target.Uncounted
	case err != nil:
		record.Unpriced = "the counts are invalid: " + err.Error()
	case result.Complete || result.Charged:
		c.price(&record, prices.Usage(result.Usage))
	case result.Failed && r.body.Err() == nil:
		record.Unpriced = "the provider ended the response with an error"
	default:
		record.Unpriced = reason
	}
	if !result.Complete && record.USD == "" {
		record.BoundUSD = atLeast(c.meter.prices, callOf(&record, prices.Usage(result.Usage)))
	}
	c.finish(record)
}

// fill sets what the response states.
func (r *reading) fill(record *calls.Record, result *response.Result) {
	record.Incomplete = !result.Complete
	if r.body.Cut() && !result.Complete { // a JSON array that was cut is not JSON
		return
	}
	record.ID, record.Usage, record.Mode, record.Requests = cmp.Or(result.ID, r.requestID), result.Object, result.Usage.Mode, result.Usage.Requests
	if result.Model != "" {
		r.call.name(record, result.Model)
	}
	if result.Object != nil && result.Form != string(record.Provider) {
		record.API = result.Form
	}
	record.Upstream, record.UpstreamUSD, record.BYOK = result.Upstream, prices.USD(result.UpstreamUSD), result.BYOK
	record.ModelStage, record.RetirementDate = result.ModelStage, dateOf(result.RetirementTime)
}

// dateOf returns the UTC day of an RFC 3339 time, or "" for another text.
func dateOf(text string) string {
	if text == "" { // nearly always; an error of Parse allocates
		return ""
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return ""
	}
	return at.UTC().Format(time.DateOnly)
}
