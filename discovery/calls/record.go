package calls

import (
	"encoding/json"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/endpoints"
	"github.com/mesh-gateway/mesh-go/discovery/internal/modelid"
	"github.com/mesh-gateway/mesh-go/discovery/internal/usage"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/argument"
)

// Record is one call, and as JSON a line in a calls file. It has no content and no key.
type Record struct {
	// ID is the response's id, if any.
	ID string
	// Provider billed the call. If Platform is set, it's the model's developer instead, or
	// "" if that isn't one of the five providers. It may also be a name from
	// meter.WithEndpoint.
	Provider models.Provider
	// Model is the response's model, else the request's.
	Model string
	// API names the format of Usage if it isn't Provider's own, such as "openai",
	// "anthropic", "gemini" or "converse".
	API string
	// Platform is the [prices.Platform] that billed the call; "" is the provider itself.
	Platform string
	// Region is the location in a Platform's host or path; for Azure the configured
	// deployment kind.
	Region string
	// Profile is the prefix in Bedrock's id, such as "us" or "global", or the ARN's type
	// in its place.
	Profile string
	// Requested is the requested model if it differs from Model.
	Requested string
	// Upstream is the provider behind OpenRouter, by OpenRouter's name.
	Upstream string
	// ModelStage and RetirementDate are a model's status in Gemini's response, if stated:
	// a stage such as "DEPRECATED", and retirementTime as a UTC day, such as
	// "2027-03-31".
	ModelStage     string
	RetirementDate string
	// Time is when the request was sent (UTC).
	Time time.Time
	// Usage is the response's usage object, unchanged. For a stream, it's merged from the
	// events. It's nil if there was no usage object.
	Usage json.RawMessage
	// Mode decides prices, such as "batch" or "priority"; "" is standard.
	Mode string
	// ToolUses counts paid tool uses by name.
	ToolUses map[string]int64
	// Labels come from [github.com/mesh-gateway/mesh-go/discovery/meter.WithLabel].
	// Records share them: don't change them.
	Labels map[string]string
	// Path is the request's, without the query.
	Path string
	// Status is the HTTP status; 0 without a response.
	Status int
	// Attempt counts tries of the same request from 1, if a request header states it.
	Attempt int
	// Stream reports whether the response was streamed.
	Stream bool
	// Incomplete reports that the final counts are missing or invalid. In a calls file it
	// is "complete": false.
	Incomplete bool
	// Duration ends with the final event, or the end of the response.
	Duration time.Duration
	// USD is the exact cost in US dollars, a plain decimal; "" is unknown. A call with an
	// error status costs "0".
	USD prices.USD
	// BoundUSD is a lower bound if the cost is unknown: the list price of counts and fees
	// that have a price ([prices.UnpricedError].BoundUSD).
	BoundUSD prices.USD
	// UpstreamUSD is billed in addition to USD: by the provider behind OpenRouter, to the
	// owner of a key there. BYOK reports such a key.
	UpstreamUSD prices.USD
	BYOK        bool
	// Billing is "subscription" if a subscription's login made the call: USD is then a
	// list price, not a charge.
	Billing string
	// Session reports whether the record is from an agent program's session file.
	Session bool
	// WithoutLine marks usage that is in an agent program's totals but not in its lines. The
	// number of calls is unknown.
	WithoutLine bool
	// SourceKey is a key for the price source ([prices.Cost].SourceKey). [prices.SourceText]
	// describes it.
	SourceKey string
	// Unpriced is the reason if USD is "". Both are "" in another program's line without
	// a cost.
	Unpriced string
	// Counts has the parsed Usage and ToolUses. [Record.Count] and [Read] set it, and
	// HasCounts if the usage was valid. The JSON has neither.
	Counts    prices.Usage
	HasCounts bool
}

// Failed reports whether the call was not billed: its status is neither 0 nor 2xx, or it
// has neither status, usage nor cost.
func (r *Record) Failed() bool {
	return r.Status == 0 && r.Unpriced != "" && r.Usage == nil || r.Status != 0 && !endpoints.Bills(r.Status)
}

// Subscribed reports whether USD is a subscription's list price, not a charge.
func (r *Record) Subscribed() bool { return r.Billing == Subscription }

// HasLabels reports whether the call has all these labels. The value "" stands for a
// missing label.
func (r *Record) HasLabels(labels map[string]string) bool {
	for name, value := range labels {
		if r.Labels[name] != value {
			return false
		}
	}
	return true
}

type line struct {
	Provider   models.Provider   `json:"provider"`
	Model      string            `json:"model"`
	Time       time.Time         `json:"time"`
	Usage      json.RawMessage   `json:"usage"`
	ID         string            `json:"id,omitempty"`
	API        string            `json:"api,omitempty"`
	Platform   string            `json:"platform,omitempty"`
	Region     string            `json:"region,omitempty"`
	Profile    string            `json:"profile,omitempty"`
	Requested  string            `json:"requested,omitempty"`
	Upstream   string            `json:"upstream,omitempty"`
	Mode       string            `json:"mode,omitempty"`
	Requests   map[string]int64  `json:"requests,omitempty"`
	Labels     map[string]string `json:"labels,omitempty"`
	Path       string            `json:"path,omitempty"`
	Status     int               `json:"status,omitempty"`
	Attempt    int               `json:"attempt,omitempty"`
	Stream     bool              `json:"stream,omitempty"`
	Complete   bool              `json:"complete"`
	DurationMS float64           `json:"duration_ms,omitempty"`
	USD        json.RawMessage   `json:"usd,omitempty"`
	BoundUSD   prices.USD        `json:"bound_usd,omitempty"`

	UpstreamUSD prices.USD `json:"upstream_usd,omitempty"`
	BYOK        bool       `json:"byok,omitempty"`
	Billing     string     `json:"billing,omitempty"`
	Session     bool       `json:"session,omitempty"`
	WithoutLine bool       `json:"without_a_line,omitempty"`

	ModelStage     string `json:"model_stage,omitempty"`
	RetirementDate string `json:"retirement_date,omitempty"`

	Source   string `json:"source,omitempty"`
	Unpriced string `json:"unpriced,omitempty"`
}

// MarshalJSON returns a line without its line break.
func (r Record) MarshalJSON() ([]byte, error) {
	l := line{
		Provider: r.Provider, Model: r.Model, Time: r.Time.UTC(), Usage: r.Usage, ID: r.ID, Mode: r.Mode, Requests: r.ToolUses,
		Labels: r.Labels, Path: r.Path, Status: r.Status, Attempt: r.Attempt, Stream: r.Stream, Complete: !r.Incomplete,
		DurationMS: float64(r.Duration.Microseconds()) / 1000, BoundUSD: r.BoundUSD, Source: r.SourceKey, Unpriced: r.Unpriced,
		API: r.API, Platform: r.Platform, Region: r.Region, Profile: r.Profile, Requested: r.Requested, Upstream: r.Upstream,
		UpstreamUSD: r.UpstreamUSD, BYOK: r.BYOK, Billing: r.Billing, Session: r.Session, WithoutLine: r.WithoutLine, ModelStage: r.ModelStage, RetirementDate: r.RetirementDate,
	}
	switch {
	case r.USD != "":
		l.USD, _ = json.Marshal(r.USD)
	case r.Unpriced != "":
		l.USD = json.RawMessage("null")
	}
	return json.Marshal(l)
}

// UnmarshalJSON reads a line. Unknown fields are ignored.
func (r *Record) UnmarshalJSON(text []byte) error {
	var in decoder
	var read Record
	if err := in.decode(text, &read); err != nil {
		return err
	}
	*r = read
	return nil
}

// Call converts the record for [prices.List.CostOf], with counts parsed from Usage and
// ToolUses. A missing Provider becomes the model's developer, except on a Platform. The
// error reports invalid usage or tool uses.
func (r Record) Call() (call prices.Call, err error) {
	r.Provider = r.developer()
	if !r.HasCounts {
		r.Counts, err = prices.ParseUsage(r.form(), r.Usage)
		if wrong := r.complete(); err == nil {
			err = wrong
		}
	}
	return r.call(), err
}

func (r *Record) call() prices.Call {
	call := prices.Call{Provider: r.Provider, Model: r.Model, At: r.Time, Mode: r.Mode, Usage: r.Counts}
	if r.Platform != "" {
		call.Platform, call.Profile = prices.Platform(r.Platform), r.Profile
		call.Region = endpoints.PriceRegion(r.Platform, r.Region, r.Path)
	}
	return call
}

// developer is a missing provider's default, except on a Platform.
func (r *Record) developer() models.Provider {
	if known, err := models.ParseProvider(string(r.Provider)); err == nil {
		return known
	}
	if r.Provider == "" && r.Platform == "" {
		p, _ := models.ProviderOf(r.Model)
		return p
	}
	return r.Provider
}

func (r *Record) form() models.Provider {
	return models.Provider(modelid.FormOf(r.API, string(r.Provider)))
}

// maxRequests is the limit for token counts, too.
const maxRequests = 1 << 53

// complete adds the path and ToolUses to Counts. Its error reports an invalid ToolUses.
func (r *Record) complete() error {
	(*usage.Typed[prices.USD])(&r.Counts).SetPath(r.Path)
	if r.ToolUses == nil { // Usage has the response's tool uses
		return nil
	}
	r.Counts.ToolUses = r.ToolUses
	for _, n := range r.ToolUses {
		if n < 0 || n > maxRequests {
			return errLine
		}
	}
	return nil
}

// ValueError reports an invalid argument: Field is its Go name, or a field's in it; Value
// is the argument, or "" if it could be a secret; Reason says what it must be. It matches
// client.ErrMesh, and is the same type as in packages client and discovery.
type ValueError = argument.ValueError

func invalid(field, value, reason string) error { return argument.New("calls", field, value, reason) }
