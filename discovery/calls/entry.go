package calls

import (
	"errors"
	"math"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/modelid"
	"github.com/mesh-gateway/mesh-go/discovery/internal/usage"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

// entry has the fields of a line of a calls file. Texts are slices of the line, or copies where they had to be unquoted. It is
// decoded without encoding/json, which would take several times as long, and without building a [Record], since [Sum] needs few of
// its fields.
type entry struct {
	provider, model, id, mode, path, source, unpriced []byte

	api, platform, region, profile, requested, upstream, billing []byte

	modelStage, retirementDate []byte

	time time.Time
	// usage, requests and labels are JSON, and nil for null or without the field.
	usage, requests, labels []byte
	usd, bound, upstreamUSD []byte
	duration                float64
	status, attempt         int
	stream, complete, byok  bool
	session                 bool
	// usdGiven reports whether the line has the field, even as null.
	usdGiven bool

	// counts reads the usage object together with the line, which is faster than reading it afterwards; nil if only its JSON is
	// needed. usageErr is its error.
	counts   *usage.Reader
	usageErr error
	// keys are those of the line, and values those of an object in it.
	keys, values keys
}

var (
	errLine     = errors.New("a line must be a JSON object with provider, model, time (RFC 3339) and usage")
	errTime     = errors.New("time must be an RFC 3339 time")
	errNoTime   = errors.New("time is missing; it must be an RFC 3339 time")
	errProvider = errors.New("the provider cannot be determined; specify openai, deepseek, anthropic, gemini or xai")
	errUSD      = errors.New("usd must be a decimal in quotes, or null")

	errBound    = errors.New("bound_usd or at_least_usd must be a decimal in quotes, or null")
	errUpstream = errors.New("upstream_usd must be a decimal in quotes, or null")
)

// decode reads a line. An error contains nothing of it.
func (e *entry) decode(d *jsonread.Decoder, line []byte) error {
	*e = entry{counts: e.counts, complete: true, keys: e.keys, values: e.values}
	e.keys.reset()
	if len(line) > maxLine+1 { // with its line break
		return errLongLine
	}
	d.Reset(line)
	if d.Next() != jsonread.Object {
		return errLine
	}
	members := d.Object()
	for members.Next() {
		if err := e.keys.add(members.Key()); err != nil {
			return err
		}
		if err := e.member(d, members.Key()); err != nil {
			return err
		}
	}
	if members.Err() != nil || !d.AtEnd() {
		return errLine
	}
	return nil
}

// member reads a field. null is a field that is not given.
func (e *entry) member(d *jsonread.Decoder, key []byte) error {
	if d.Next() == jsonread.Null {
		e.usdGiven = e.usdGiven || string(key) == "usd"
		return skip(d)
	}
	if field := e.text(key); field != nil {
		return readText(d, field)
	}
	var err error
	switch string(key) {
	case "time":
		return e.readTime(d)
	case "usd":
		e.usdGiven = true
		return readAmount(d, &e.usd, errUSD)
	case "bound_usd", "at_least_usd": // its name in files before 2026-11-23
		return readAmount(d, &e.bound, errBound)
	case "upstream_usd":
		return readAmount(d, &e.upstreamUSD, errUpstream)
	case "usage":
		return e.readUsage(d)
	case "requests":
		return e.readValues(d, &e.requests, func() error { _, err := d.Int64(); return err })
	case "labels":
		return e.readValues(d, &e.labels, func() error { _, err := d.StrBytes(); return err })
	case "status":
		e.status, err = d.Int()
	case "attempt":
		e.attempt, err = d.Int()
	case "duration_ms":
		return e.readDuration(d)
	case "stream":
		e.stream, err = d.Bool()
	case "byok":
		e.byok, err = d.Bool()
	case "session":
		e.session, err = d.Bool()
	case "complete":
		e.complete, err = d.Bool()
	default:
		return skip(d)
	}
	if err != nil {
		return errLine
	}
	return nil
}

// text returns the field of a text, or nil.
func (e *entry) text(key []byte) *[]byte {
	switch string(key) {
	case "provider":
		return &e.provider
	case "model":
		return &e.model
	case "id":
		return &e.id
	case "mode":
		return &e.mode
	case "path":
		return &e.path
	case "source":
		return &e.source
	case "unpriced":
		return &e.unpriced
	}
	return e.placeText(key)
}

// placeText returns the field for a text about the place, the billing or the retirement of a call, or nil.
func (e *entry) placeText(key []byte) *[]byte {
	switch string(key) {
	case "api":
		return &e.api
	case "platform":
		return &e.platform
	case "region":
		return &e.region
	case "profile":
		return &e.profile
	case "requested":
		return &e.requested
	case "upstream":
		return &e.upstream
	case "billing":
		return &e.billing
	case "model_stage":
		return &e.modelStage
	case "retirement_date":
		return &e.retirementDate
	}
	return nil
}

// record returns the entry as a Record, which shares nothing with the line, and texts and labels with other records of the reader.
func (e *entry) record(in *recordReader) (Record, error) {
	text := in.texts.text
	r := Record{
		ID: jsonread.Text(e.id), Provider: models.Provider(text(e.provider)), Model: text(e.model), Time: e.time, Mode: text(e.mode), Path: text(e.path),
		Status: e.status, Attempt: e.attempt, Stream: e.stream, Complete: e.complete, Duration: time.Duration(math.Round(e.duration*1000)) * time.Microsecond,
		USD: string(e.usd), Source: text(e.source), Unpriced: text(e.reason()),
		API: text(e.api), Platform: text(e.platform), Region: text(e.region), Profile: text(e.profile), Requested: text(e.requested),
		Upstream: text(e.upstream), UpstreamUSD: string(e.upstreamUSD), BYOK: e.byok, Billing: text(e.billing),
		ModelStage: text(e.modelStage), RetirementDate: text(e.retirementDate), Session: e.session,
	}
	if _, err := e.cost(); err != nil {
		return Record{}, err
	}
	if e.usd == nil {
		r.BoundUSD = string(e.bound)
	}
	if e.usage != nil {
		r.Usage = append(r.Usage, e.usage...)
	}
	if e.requests != nil {
		requests, err := readRequests(e.requests)
		if err != nil {
			return Record{}, err
		}
		r.Requests = requests
	}
	if e.labels != nil {
		r.Labels = in.labels.of(e.labels, in.names.labels)
	}
	return r, nil
}

// reason returns why the cost is not known; empty if it is, or if the line has no cost yet.
func (e *entry) reason() []byte {
	if e.usdGiven && e.usd == nil && len(e.unpriced) == 0 {
		return []byte("the cost was not known")
	}
	return e.unpriced
}

// resolve returns the provider, also where the line leaves it out.
func (e *entry) resolve() (models.Provider, error) {
	// ParseProvider allocates, which made Sum 5 % slower. A provider that is not listed here is only read more slowly.
	for _, p := range [...]models.Provider{models.OpenAI, models.Anthropic, models.Gemini, models.DeepSeek, models.XAI} {
		if string(e.provider) == string(p) {
			return p, nil
		}
	}
	switch {
	case len(e.provider) > 0:
		return named(string(e.provider))
	case len(e.platform) > 0:
		return "", nil
	}
	if p, ok := models.ProviderOf(string(e.model)); ok {
		return p, nil
	}
	return "", errProvider
}

// named returns a provider in its own spelling, which may be a name besides the five.
func named(name string) (models.Provider, error) {
	if p, err := models.ParseProvider(name); err == nil || !modelid.IsName(name) {
		return p, err
	}
	return models.Provider(name), nil
}
