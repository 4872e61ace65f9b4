package calls

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mesh-gateway/mesh-go/discovery/internal/modelid"
	"github.com/mesh-gateway/mesh-go/discovery/internal/usage"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/argument"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

var (
	errLine     = errors.New("a line must be a JSON object with provider, model, time (RFC 3339) and usage")
	errTime     = errors.New("time must be an RFC 3339 time")
	errNoTime   = errors.New("time is missing; it must be an RFC 3339 time")
	errProvider = errors.New("the provider cannot be determined; specify openai, deepseek, anthropic, gemini or xai")
	errUSD      = errors.New("usd must be a decimal in quotes, or null")
	errBound    = errors.New("bound_usd or at_least_usd must be a decimal in quotes, or null")
	errUpstream = errors.New("upstream_usd must be a decimal in quotes, or null")
)

// decoder is several times as fast as encoding/json, and allocates repeated strings once.
type decoder struct {
	jsonread.Decoder
	texts  interned
	last   Record                    // previous strings; comparing is faster than a map
	labels shared[map[string]string] // by JSON, or by the values in only
	// only are the labels to read; nil reads all.
	only []string
	// borrows lets usage share the line's memory, which it must not outlive.
	borrows bool
	owned   strings.Builder // recent results of own
	// counts reads usage in the same pass, which is faster; nil if only its JSON is
	// needed. usageErr is its error.
	counts   *usage.Reader
	usageErr error
	noCost   bool // usd is null
	// the line's, and those in an object; picked has values for only
	keys, values keys
	picked       []byte
}

func newDecoder() *decoder {
	return &decoder{texts: interned{}, labels: shared[map[string]string]{}}
}

// read requires a time and a known provider. Its error contains nothing from the line.
func (in *decoder) read(line []byte, r *Record) (err error) {
	if err = in.decode(line, r); err == nil && r.Time.IsZero() {
		err = errNoTime
	}
	if err == nil {
		r.Provider, err = r.resolve()
	}
	return err
}

func (in *decoder) decode(line []byte, r *Record) error {
	*r = Record{}
	in.usageErr, in.noCost = nil, false
	in.keys.reset()
	if len(line) > maxLine+1 { // with its line break
		return errLongLine
	}
	in.Reset(line)
	if in.Next() != jsonread.Object {
		return errLine
	}
	members := in.Object()
	for members.Next() {
		if err := in.keys.add(members.Key()); err != nil {
			return err
		}
		if err := in.member(r, members.Key()); err != nil {
			return err
		}
	}
	if members.Err() != nil || !in.AtEnd() {
		return errLine
	}
	if r.USD == "" && r.Unpriced == "" && in.noCost {
		r.Unpriced = "the cost was unknown"
	}
	return r.checkAmounts()
}

// null is the same as a missing field.
func (in *decoder) member(r *Record, key []byte) (err error) {
	if in.Next() == jsonread.Null {
		in.noCost = in.noCost || string(key) == "usd"
		return in.skip()
	}
	if field := r.text(key); field != nil {
		text, err := in.StrBytes()
		last := in.last.text(key)
		if string(text) != *last {
			*last = in.texts.text(text)
		}
		*field = *last
		return orLine(err)
	}
	switch string(key) {
	case "id":
		id, err := in.StrBytes()
		r.ID = in.own(id)
		return orLine(err)
	case "time":
		return in.time(&r.Time)
	case "usd":
		return in.amount(&r.USD, errUSD)
	case "bound_usd", "at_least_usd": // its name in files before 2026-11-23
		return in.amount(&r.BoundUSD, errBound)
	case "upstream_usd":
		return in.amount(&r.UpstreamUSD, errUpstream)
	case "usage":
		return in.usage(r)
	case "requests":
		return in.readRequests(r)
	case "labels":
		return in.readLabels(r)
	case "duration_ms":
		return in.duration(&r.Duration)
	case "status":
		r.Status, err = in.Int()
	case "attempt":
		r.Attempt, err = in.Int()
	case "stream":
		r.Stream, err = in.Bool()
	case "byok":
		r.BYOK, err = in.Bool()
	case "session":
		r.Session, err = in.Bool()
	case "without_a_line":
		r.WithoutLine, err = in.Bool()
	case "complete":
		var complete bool
		complete, err = in.Bool()
		r.Incomplete = !complete
	default:
		err = in.Skip()
	}
	return orLine(err)
}

// text returns the field for a string that repeats, or nil.
func (r *Record) text(key []byte) *string {
	switch string(key) {
	case "provider":
		return (*string)(&r.Provider)
	case "model":
		return &r.Model
	case "mode":
		return &r.Mode
	case "path":
		return &r.Path
	case "source":
		return &r.SourceKey
	case "unpriced":
		return &r.Unpriced
	case "api":
		return &r.API
	case "platform":
		return &r.Platform
	case "region":
		return &r.Region
	case "profile":
		return &r.Profile
	case "requested":
		return &r.Requested
	case "upstream":
		return &r.Upstream
	case "billing":
		return &r.Billing
	case "model_stage":
		return &r.ModelStage
	case "retirement_date":
		return &r.RetirementDate
	}
	return nil
}

// orLine hides an error that would quote the line.
func orLine(err error) error {
	if err != nil {
		return errLine
	}
	return nil
}

func (in *decoder) skip() error { return orLine(in.Skip()) }

// own copies a string. Many share one allocation.
func (in *decoder) own(text []byte) string {
	const chunk = 4 << 10 // kept as long as any string in it
	if in.texts == nil || len(text) > chunk/4 || !utf8.Valid(text) {
		return jsonread.Text(text)
	}
	begin := in.owned.Len()
	if begin+len(text) > in.owned.Cap() {
		in.owned.Reset()
		in.owned.Grow(chunk)
		begin = 0
	}
	in.owned.Write(text)
	return in.owned.String()[begin:]
}

func (in *decoder) time(at *time.Time) error {
	text, err := in.StrBytes()
	if err != nil {
		return errTime
	}
	*at, err = parseTime(text)
	return err
}

// parseTime accepts the years 1 to 9999, for days and JSON.
func parseTime(text []byte) (at time.Time, err error) {
	err = at.UnmarshalText(text)
	at = at.UTC()
	if year := at.Year(); err != nil || year < 1 || year > 9999 {
		return at, errTime
	}
	return at, nil
}

func (in *decoder) duration(to *time.Duration) error {
	const longest = 1e12 // milliseconds: 30 years, which fit into a time.Duration
	ms, err := in.Float64()
	if err != nil || math.Abs(ms) > longest { // negative if a clock was set during the call
		return errLine
	}
	*to = time.Duration(math.Round(ms*1000)) * time.Microsecond
	return nil
}

func (in *decoder) amount(to *prices.USD, wrong error) error {
	text, err := in.StrBytes()
	if err != nil || len(text) == 0 {
		return wrong
	}
	*to = prices.USD(in.own(text))
	return nil
}

func (in *decoder) usage(r *Record) error {
	if in.Next() != jsonread.Object {
		return errLine
	}
	begin := in.Mark()
	if in.counts != nil {
		in.usageErr = in.counts.Read(&in.Decoder)
	}
	if in.counts == nil || in.usageErr != nil {
		in.Return(begin)
		if in.Skip() != nil {
			return errLine
		}
	}
	if r.Usage = in.Since(begin); !in.borrows {
		r.Usage = slices.Clone(r.Usage)
	}
	return nil
}

func (in *decoder) readRequests(r *Record) error {
	r.ToolUses = map[string]int64{}
	_, err := in.object(func(key []byte) error {
		n, err := in.orNull(in.Int64)
		r.ToolUses[jsonread.Text(key)] = n
		return err
	})
	return err
}

// readLabels shares maps between lines.
func (in *decoder) readLabels(r *Record) error {
	in.picked = in.picked[:0]
	text, err := in.object(func(key []byte) error {
		if in.Next() == jsonread.Null {
			return in.Skip()
		}
		value, err := in.StrBytes()
		if i := slices.Index(in.only, string(key)); i >= 0 {
			in.picked = append(strconv.AppendInt(in.picked, int64(i), 10), ':')
			in.picked = append(strconv.AppendInt(in.picked, int64(len(value)), 10), ':')
			in.picked = append(append(in.picked, value...), 0)
		}
		return err
	})
	switch {
	case err != nil:
	case in.only == nil:
		r.Labels = in.labels.of(text, in.labelsOf)
	case len(in.picked) > 0:
		r.Labels = in.labels.of(in.picked, func([]byte) map[string]string {
			all := in.labelsOf(text)
			picked := make(map[string]string, len(in.only))
			for _, name := range in.only {
				picked[name] = all[name]
			}
			return picked
		})
	}
	return err
}

func (in *decoder) orNull(number func() (int64, error)) (int64, error) {
	if in.Next() == jsonread.Null {
		return 0, in.Skip()
	}
	return number()
}

// object returns the JSON that value has read.
func (in *decoder) object(value func(key []byte) error) ([]byte, error) {
	if in.Next() != jsonread.Object {
		return nil, errLine
	}
	begin := in.Mark()
	var err error
	members := in.Object()
	for in.values.reset(); err == nil && members.Next(); {
		if in.values.add(members.Key()) != nil {
			return nil, errTwice
		}
		err = value(members.Key())
	}
	return in.Since(begin), orLine(errors.Join(err, members.Err()))
}

// labelsOf takes a fifth of encoding/json's time; most lines have labels.
func (in *decoder) labelsOf(object []byte) map[string]string {
	var d jsonread.Decoder
	d.Reset(object)
	all := map[string]string{}
	var err error
	members := d.Object()
	for err == nil && members.Next() {
		name, value := in.texts.text(members.Key()), []byte(nil)
		if d.Next() == jsonread.Null {
			err = d.Skip()
		} else {
			value, err = d.StrBytes()
		}
		all[name] = in.texts.text(value)
	}
	return all
}

func (r *Record) resolve() (models.Provider, error) {
	// ParseProvider allocates, which made Sum 5 % slower. Other providers are only read
	// more slowly.
	for _, p := range [...]models.Provider{models.OpenAI, models.Anthropic, models.Gemini, models.DeepSeek, models.XAI} {
		if r.Provider == p {
			return p, nil
		}
	}
	switch {
	case r.Provider != "":
		return named(string(r.Provider))
	case r.Platform != "":
		return "", nil
	}
	if p, ok := models.ProviderOf(r.Model); ok {
		return p, nil
	}
	return "", errProvider
}

// named accepts names other than the five.
func named(name string) (models.Provider, error) {
	if p, err := models.ParseProvider(name); err == nil || !modelid.IsName(name) {
		return p, err
	}
	return models.Provider(name), nil
}

// checkAmounts also drops BoundUSD if the cost is known.
func (r *Record) checkAmounts() error {
	if r.USD != "" {
		r.BoundUSD = ""
	}
	for _, amount := range [...]struct {
		usd   prices.USD
		wrong error
	}{{r.USD, errUSD}, {r.BoundUSD, errBound}, {r.UpstreamUSD, errUpstream}} {
		if _, ok := decimal.ParsePlain(amount.usd); !ok && amount.usd != "" {
			return amount.wrong
		}
	}
	return nil
}

// bounds if nothing repeats
const (
	maxShared     = 1024
	longestShared = 1024
)

// shared keeps the first values; nil keeps nothing.
type shared[V any] map[string]V

// of calls parse for a new text.
func (s shared[V]) of(text []byte, parse func([]byte) V) V {
	value, known := s[string(text)]
	if !known {
		value = parse(text)
		if s != nil && len(s) < maxShared && len(text) <= longestShared {
			s[string(text)] = value
		}
	}
	return value
}

// interned allocates a repeated string once; nil keeps nothing.
type interned map[string]string

func (i interned) text(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	text, known := i[string(b)]
	if known {
		return text
	}
	if text = jsonread.Text(b); len(b) > longestShared {
		return argument.Cut(text, argument.MaxText) // as a Log does
	}
	if i != nil {
		if len(i) == maxShared {
			clear(i)
		}
		i[text] = text
	}
	return text
}
