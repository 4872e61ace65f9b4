package calls

import (
	"errors"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/internal/modelid"
	"github.com/mesh-gateway/mesh-go/discovery/internal/usage"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
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
	labels shared[map[string]string] // by JSON
	picks  shared[map[string]string] // by the values in only
	// only names the labels to read. nil means all.
	only []string
	// borrows makes Usage point into the line instead of copying it.
	borrows bool
	owned   strings.Builder // recent results of own
	// counts parses the usage object while the line is read, which saves a pass. It's nil if
	// only the JSON is needed. usageErr is its error.
	counts   *usage.Reader
	usageErr error
	noCost   bool // usd is null
	// keys finds duplicates in a line, and values in a nested object. picked identifies the
	// values of the labels in only.
	keys, values keys
	picked       []byte
}

func newDecoder() *decoder {
	return &decoder{texts: interned{}, labels: shared[map[string]string]{}, picks: shared[map[string]string]{}}
}

// read decodes a line, which needs a time, and a provider, a platform or a model that
// tells the provider. The error quotes nothing from the line.
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

// member reads null as a missing field. Only for usd it means that the cost was unknown.
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
	case "bound_usd", "at_least_usd": // at_least_usd in files before 2026-11-23
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

// text returns a key's field if its strings repeat from line to line, or nil.
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

func (r *Record) resolve() (models.Provider, error) {
	// ParseProvider allocates, which made Sum 5 % slower, so check the usual spellings
	// first.
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

// named also accepts names from meter.WithEndpoint.
func named(name string) (models.Provider, error) {
	if p, err := models.ParseProvider(name); err == nil || !modelid.IsName(name) {
		return p, err
	}
	return models.Provider(name), nil
}

// checkAmounts requires plain decimals. It drops BoundUSD if the cost is known.
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
