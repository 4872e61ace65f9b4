package calls

import (
	"cmp"
	"encoding/json"
	"errors"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/endpoints"
	"github.com/mesh-gateway/mesh-go/discovery/internal/modelid"
	"github.com/mesh-gateway/mesh-go/discovery/internal/usage"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/argument"
)

// Record is one call. Its JSON is a line of a calls file; it has no content of the call and no key.
type Record struct {
	// ID is the id of the response; "" if it has none.
	ID string
	// Provider is who billed the call, or with a Platform the developer of the model, "" if none of the five is. It may be a name that
	// meter.WithEndpoint gave to a host.
	Provider models.Provider
	// Model is the model of the response, else the model of the request.
	Model string
	// API is the form of Usage where it is not the Provider's own: "openai", "anthropic", "gemini" or "converse", for example.
	API string
	// Platform is the [prices.Platform] that billed the call; "" is the provider's own API.
	Platform string
	// Region is the location of the host or the path of a Platform; for Azure the kind of the deployment, if it was configured.
	Region string
	// Profile is the prefix of Bedrock's id, such as "us" or "global", or the kind of the ARN in its place.
	Profile string
	// Requested is the id of the path or the request, if it is not Model.
	Requested string
	// Upstream is the provider behind OpenRouter, as it names it.
	Upstream string
	// ModelStage and RetirementDate are the status of the model in a response of Gemini: a stage such as "DEPRECATED", and the UTC day of
	// its retirementTime, such as "2027-03-31". They are "" if the response does not state them.
	ModelStage     string
	RetirementDate string
	// Time is when the request was sent, in UTC.
	Time time.Time
	// Usage is the usage object of the response as the provider sent it; the merged one of a stream. It is nil if there was none.
	Usage json.RawMessage
	// Mode is the mode by which the call was priced, such as "batch" or "priority"; "" is standard.
	Mode string
	// Requests has the number of paid uses of tools, by name.
	Requests map[string]int64
	// Labels are the labels of [github.com/mesh-gateway/mesh-go/discovery/meter.WithLabel]. They must not be changed: records share them.
	Labels map[string]string
	// Path is the path of the request, without its query.
	Path string
	// Status is the HTTP status; 0 if there was no response.
	Status int
	// Attempt is which try of the same request it was, beginning with 1, as far as a header of the request states it; 0 if it is not known.
	Attempt int
	// Stream reports whether the response was streamed.
	Stream bool
	// Incomplete reports that the final counts are missing or invalid. In a calls file it is "complete": false.
	Incomplete bool
	// Duration is the time from the request to the final event, the end or the close of the response.
	Duration time.Duration
	// USD is the exact cost in US dollars, as a plain decimal; "" if it is not known. A call with an error status costs "0".
	USD prices.USD
	// BoundUSD is what a call without a known cost costs at least: the list price of its counts and fees, as far as they arrived and have
	// a known price ([prices.UnpricedError].BoundUSD). It is "" if there are none, and if USD is known.
	BoundUSD prices.USD
	// UpstreamUSD is what the provider behind OpenRouter bills besides USD, to the owner of a key there, and BYOK reports that the call
	// was made with such a key.
	UpstreamUSD prices.USD
	BYOK        bool
	// Billing is "subscription" for a call that the login of a subscription has made: USD is its list price and not a charge. It is "" for
	// all other calls.
	Billing string
	// Session reports whether the call is from a session file of an agent program.
	Session bool
	// WithoutLine reports that a program states counts which it has no line of: those of any number of calls, which is not known.
	WithoutLine bool
	// Source names the source of the prices in short ([prices.Cost].SourceKey). [prices.SourceText] returns it for people.
	Source string
	// Unpriced is why the cost is not known. USD and Unpriced are both "" in a line of another program that has no cost yet.
	Unpriced string
	// Counts are those of Usage and Requests, if HasCounts is set, as it is of what [Record.Count] returns and [Read] yields. They are not in
	// the JSON.
	Counts    prices.Usage
	HasCounts bool
}

// Failed reports whether the call was not billed: its status is neither 0 nor 2xx, or it has no status, no usage and no known cost.
func (r *Record) Failed() bool {
	return r.Status == 0 && r.Unpriced != "" && r.Usage == nil || r.Status != 0 && !endpoints.Bills(r.Status)
}

// Subscribed reports whether USD is the list price of a call of a subscription, and not a charge.
func (r *Record) Subscribed() bool { return r.Billing == Subscription }

// HasLabels reports whether the call has all of these labels with these values. The value "" is for a call without the label.
func (r *Record) HasLabels(labels map[string]string) bool {
	for name, value := range labels {
		if r.Labels[name] != value {
			return false
		}
	}
	return true
}

// line is the JSON of a Record.
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

// MarshalJSON returns the record as a line of a calls file, without the line break.
func (r Record) MarshalJSON() ([]byte, error) {
	l := line{
		Provider: r.Provider, Model: r.Model, Time: r.Time.UTC(), Usage: r.Usage, ID: r.ID, Mode: r.Mode, Requests: r.Requests,
		Labels: r.Labels, Path: r.Path, Status: r.Status, Attempt: r.Attempt, Stream: r.Stream, Complete: !r.Incomplete,
		DurationMS: float64(r.Duration.Microseconds()) / 1000, BoundUSD: r.BoundUSD, Source: r.Source, Unpriced: r.Unpriced,
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

// UnmarshalJSON reads a line of a calls file. Unknown fields are ignored.
func (r *Record) UnmarshalJSON(text []byte) error {
	var in decoder
	var read Record
	if err := in.decode(text, &read); err != nil {
		return err
	}
	*r = read
	return nil
}

// Call returns the call for [prices.List.CostOf]. Its Usage has the Counts, which are those of r.Usage, whatever API they are of, and
// r.Requests. A Provider that is missing is the developer of the model, except on a Platform. The error is the error of
// [prices.ParseUsage].
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

// call is Record.Call of a record that has its Counts.
func (r *Record) call() prices.Call {
	call := prices.Call{Provider: r.Provider, Model: r.Model, At: r.Time, Mode: r.Mode, Usage: r.Counts}
	if r.Platform != "" {
		call.Platform, call.Profile = prices.Platform(r.Platform), r.Profile
		call.Region = endpoints.PriceRegion(r.Platform, r.Region, r.Path)
	}
	return call
}

// developer returns the provider in its own spelling. One that is missing is the developer of the model, except on a Platform.
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

// form returns the form of Usage, whose provider is in its own spelling.
func (r *Record) form() models.Provider {
	return models.Provider(modelid.FormOf(r.API, string(r.Provider)))
}

// maxRequests bounds the uses of a tool, as the counts of tokens are bounded.
const maxRequests = 1 << 53

// complete adds to Counts what the usage object does not have. The error is of the uses of tools.
func (r *Record) complete() error {
	(*usage.Usage)(&r.Counts).SetPath(r.Path)
	if r.Requests == nil { // what the response had beside its usage object is in it
		return nil
	}
	r.Counts.Requests = r.Requests
	for _, n := range r.Requests {
		if n < 0 || n > maxRequests {
			return errLine
		}
	}
	return nil
}

// Subscription is the Billing of a call that isn't charged.
const Subscription = "subscription"

var errNoUsage = errors.New("usage is missing, and so is the cost")

// Count returns the record as its call counts in every sum: with the recorded cost, or if it has none with one of a list, nil being
// [prices.BuiltIn]. It has a USD, or else an Unpriced; Provider is in its own spelling, Time in UTC, and Counts are set.
// With reprice the cost of a call that has the counts for it is computed, whatever was recorded, and so is BoundUSD of an incomplete one.
// A record without what its cost needs, and one with an amount that is not a plain decimal, is an error, which contains nothing of the
// record.
func (r Record) Count(list *prices.List, reprice bool) (Record, error) {
	if list == nil {
		list = prices.BuiltIn()
	}
	r.Time = r.Time.UTC()
	if err := r.checkAmounts(); err != nil {
		return Record{}, err
	}
	call, usageErr := r.Call()
	r.Provider, r.Counts = call.Provider, call.Usage
	if err := r.count(usageErr, list, reprice); err != nil {
		return Record{}, err
	}
	return r, nil
}

// count is Record.Count of the record that was read last. Beside an error there are no Counts.
func (in *decoder) count(r *Record, list *prices.List, reprice bool) error {
	usageErr := in.usageErr
	if usageErr == nil && r.Usage != nil {
		u, err := in.counts.Usage(string(r.form()))
		r.Counts, usageErr = prices.Usage(u), err
	}
	if usageErr == nil {
		usageErr = r.complete()
	} else {
		_, usageErr = r.Call() // whose error is that of prices.ParseUsage
	}
	err := r.count(usageErr, list, reprice)
	if err != nil {
		r.Counts, r.HasCounts = prices.Usage{}, false
	}
	return err
}

// count sets the cost that counts. usageErr is the reason if there are no counts.
func (r *Record) count(usageErr error, list *prices.List, reprice bool) error {
	if r.Usage == nil {
		usageErr = errNoUsage
	}
	if r.HasCounts = usageErr == nil; !r.HasCounts {
		r.Counts = prices.Usage{}
	}
	if r.USD != "" {
		r.BoundUSD, r.Unpriced = "", ""
	}
	switch {
	case (r.USD != "" || r.Unpriced != "") && !(reprice && !r.Incomplete && r.repriceable()):
		if reprice && r.HasCounts && r.Unpriced != "" && r.Incomplete {
			r.BoundUSD = r.bound(list)
		}
		return nil
	case usageErr != nil:
		return usageErr
	}
	r.BoundUSD = ""
	usd, err := list.USDOf(r.call())
	if errors.Is(err, prices.ErrUnpriced) {
		r.USD, r.Unpriced, r.BoundUSD = "", err.Error(), boundOf(err)
		return nil
	}
	r.USD, r.Unpriced = usd, ""
	return err
}

// repriceable reports whether the usage of the call is all that it is billed by.
func (r *Record) repriceable() bool {
	if r.WithoutLine && r.USD != "" { // of prompts whose length is not known
		return false
	}
	host := endpoints.Endpoint{Form: modelid.FormOf(r.API, string(r.Provider)), Platform: r.Platform}
	return r.HasCounts && r.Model != "" && host.Counts(r.Path, r.Status)
}

// bound returns what the call costs at least, or "" if that is nothing or not known.
func (r *Record) bound(list *prices.List) prices.USD {
	usd, err := list.USDOf(r.call())
	if usd == "0" {
		return ""
	}
	return cmp.Or(usd, boundOf(err))
}

func boundOf(err error) prices.USD {
	var unpriced *prices.UnpricedError
	if errors.As(err, &unpriced) {
		return unpriced.BoundUSD
	}
	return ""
}

// ValueError reports an invalid argument. Its fields are Field, the Go name of the argument, or of the field in it;
// Value, the argument, or "" if it could be a secret; and Reason, what it must be. The text of the error has all three. It matches
// client.ErrMesh. It is the type that packages client and discovery have under the same name.
type ValueError = argument.ValueError

func invalid(field, value, reason string) error { return argument.New("calls", field, value, reason) }
