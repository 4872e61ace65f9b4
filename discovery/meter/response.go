package meter

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/internal/endpoints"
	"github.com/mesh-gateway/mesh-go/discovery/internal/lowerbound"
	"github.com/mesh-gateway/mesh-go/discovery/internal/response"
	"github.com/mesh-gateway/mesh-go/discovery/internal/skim"
	"github.com/mesh-gateway/mesh-go/discovery/internal/usage"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/argument"
)

// reading counts a response while the caller reads it.
type reading struct {
	io.ReadCloser
	mu sync.Mutex // Close may be called during a Read

	call   *call
	status int
	done   bool

	gunzip *gunzip
	body   *skim.Body
	reader *response.Reader
	err    error // unsupported encoding
	// requestID identifies a Converse response, whose body has no id.
	requestID string
}

func newReading(c *call, res *http.Response) *reading {
	r := &reading{ReadCloser: res.Body, call: c, status: res.StatusCode, reader: response.New(c.target.Form)}
	r.body = skim.NewBody(r.reader, res.Header.Get("Content-Type"), c.target.Stream)
	r.reader.Headers(res.Header.Get)
	if c.target.Form == usage.Converse {
		if id := res.Header.Get("X-Amzn-Requestid"); len(id) <= response.MaxName {
			r.requestID = id
		}
	}
	switch strings.ToLower(res.Header.Get("Content-Encoding")) {
	case "", "identity":
	case "gzip", "x-gzip":
		r.gunzip = newGunzip(r.plain)
	default:
		r.err = errors.New("unsupported response encoding: " + cmp.Or(argument.Shown(res.Header.Get("Content-Encoding")), "unknown"))
	}
	return r
}

func (r *reading) write(p []byte) {
	switch {
	case len(p) == 0 || r.done || r.err != nil || !endpoints.Bills(r.status):
	case r.gunzip != nil:
		r.gunzip.Write(p)
		if r.done {
			r.gunzip.Close() // now, since the caller may never read on or close the response
		}
	default:
		r.plain(p)
	}
}

// plain reads unpacked bytes. It records the call as soon as the final counts arrive,
// because the caller may never read the rest or close the response.
func (r *reading) plain(p []byte) {
	r.body.Write(p)
	if r.body.Done() && !r.done && r.reader.Final() {
		r.finish("")
	}
}

// end records the call if its final counts are missing, for the given reason.
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

// reason prefers a decoding failure over the way the body ended.
func (r *reading) reason(ended string) string {
	switch {
	case r.err != nil:
		return r.err.Error()
	case r.gunzip != nil && errors.Is(r.gunzip.err, errNotGzip):
		return errNotGzip.Error()
	}
	return r.body.Reason(ended)
}

// finish records the response, unless it turns out not to be a call.
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
	used := prices.Usage(usage.As[prices.USD](&result.Usage))
	switch {
	case c.target.Uncounted != "":
		record.Unpriced = c.target.Uncounted
	case err != nil:
		record.Unpriced = "the counts are invalid: " + err.Error()
	case result.Complete || result.Charged:
		record.Counts, record.HasCounts = used, result.Complete && result.Object != nil
		c.price(&record, used)
	case result.Failed && r.body.Err() == nil:
		record.Unpriced = "the provider ended the response with an error"
	default:
		record.Unpriced = reason
	}
	if !result.Complete && record.USD == "" {
		record.BoundUSD = lowerbound.AtLeast(c.meter.prices, callOf(&record, used))
	}
	c.finish(record)
}

func (r *reading) fill(record *calls.Record, result *response.Result) {
	record.Incomplete = !result.Complete
	if r.body.Cut() && !result.Complete { // a JSON array that was cut is not JSON
		return
	}
	record.ID, record.Usage, record.Mode, record.ToolUses = cmp.Or(result.ID, r.requestID), result.Object, result.Usage.Mode, result.Usage.ToolUses
	if result.Model != "" {
		r.call.name(record, result.Model)
	}
	if result.Object != nil && result.Form != string(record.Provider) {
		record.API = result.Form
	}
	record.Upstream, record.UpstreamUSD, record.BYOK = result.Upstream, prices.USD(result.UpstreamUSD), result.BYOK
	record.ModelStage, record.RetirementDate = result.ModelStage, dateOf(result.RetirementTime)
}

// dateOf returns an RFC 3339 time's UTC day, or "" if text has another format.
func dateOf(text string) string {
	if text == "" { // nearly always; Parse would allocate an error
		return ""
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return ""
	}
	return at.UTC().Format(time.DateOnly)
}

// receive starts counting while the caller reads the body.
func (c *call) receive(res *http.Response) {
	switch {
	case c.outside && !endpoints.Bills(res.StatusCode):
		c.settle(nil)
		return
	case c.outside || res.StatusCode == http.StatusSwitchingProtocols: // the body is a connection, which must stay as it is
		c.fail(res.StatusCode, webSockets)
		return
	}
	if res.Body == nil { // a transport must not return it, but http.Client accepts it
		res.Body = http.NoBody
	}
	res.Body = newReading(c, res)
}

func (r *reading) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.write(p[:n])
	switch err {
	case nil:
	case io.EOF:
		r.end("the response ended before its final counts")
	default:
		r.end("the response broke off before its final counts")
	}
	return n, err
}

func (r *reading) Close() error {
	err := r.ReadCloser.Close()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.end("the response was closed before its final counts")
	return err
}

// gunzip unpacks a gzip body that arrives in pieces. A gzip.Reader reads when it needs
// bytes, so it runs as a coroutine that's suspended until the next piece. When Write
// returns, plain has received everything that could be unpacked.
type gunzip struct {
	piece []byte
	next  func() (struct{}, bool)
	stop  func()
	err   error
}

var errNotGzip = errors.New("the response is not gzip")

func newGunzip(plain func([]byte)) *gunzip {
	g := &gunzip{}
	g.next, g.stop = iter.Pull(func(yield func(struct{}) bool) { g.err = g.unpack(yield, plain) })
	return g
}

func (g *gunzip) Write(p []byte) {
	g.piece = p
	g.next()
}

// Close ends the coroutine.
func (g *gunzip) Close() { g.stop() }

func (g *gunzip) unpack(yield func(struct{}) bool, plain func([]byte)) error {
	reader, err := gzip.NewReader(pieces{g, yield})
	if err != nil {
		return errNotGzip
	}
	buffer := make([]byte, 4<<10)
	for {
		n, err := reader.Read(buffer)
		plain(buffer[:n])
		if err != nil {
			return err
		}
	}
}

// pieces suspends the coroutine in Read until the next piece.
type pieces struct {
	*gunzip
	yield func(struct{}) bool
}

func (p pieces) Read(buffer []byte) (int, error) {
	for len(p.piece) == 0 {
		if !p.yield(struct{}{}) {
			return 0, io.EOF
		}
	}
	n := copy(buffer, p.piece)
	p.piece = p.piece[n:]
	return n, nil
}

// requestUsage returns a copy that requests stream usage, with its body in memory.
func requestUsage(req *http.Request) (*http.Request, error) {
	if req.Body == nil || req.Body == http.NoBody {
		return req, nil
	}
	body, err := io.ReadAll(req.Body)
	_ = req.Body.Close()
	if err != nil {
		return nil, err
	}
	body = includeUsage(body)
	sent := *req
	sent.ContentLength = int64(len(body))
	sent.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	sent.Body, _ = sent.GetBody()
	return &sent, nil
}

// includeUsage sets stream_options.include_usage if the body is a stream without that
// option. All other bytes stay the same.
func includeUsage(body []byte) []byte {
	var request struct {
		Stream  bool                       `json:"stream"`
		Options map[string]json.RawMessage `json:"stream_options"`
	}
	if json.Unmarshal(body, &request) != nil || !request.Stream {
		return body
	}
	if _, given := request.Options["include_usage"]; given {
		return body
	}
	option := `"include_usage":true`
	start, end := valueOf(body, "stream_options")
	switch {
	case end == 0:
		start = bytes.IndexByte(body, '{') + 1
		end, option = start, `"stream_options":{`+option+`},`
	case len(request.Options) == 0: // {} or null
		option = "{" + option + "}"
	default:
		end, option = start+1, "{"+option+","
	}
	return slices.Concat(body[:start], []byte(option), body[end:])
}

// valueOf returns the start and end offsets for a top-level key in valid JSON, or 0.
func valueOf(body []byte, key string) (start, end int) {
	decoder := json.NewDecoder(bytes.NewReader(body))
	_, _ = decoder.Token() // the first {
	for decoder.More() {
		name, _ := decoder.Token()
		var value json.RawMessage
		if decoder.Decode(&value) != nil {
			return 0, 0
		}
		if name == key {
			end = int(decoder.InputOffset())
			start = end - len(value)
		}
	}
	return start, end
}
