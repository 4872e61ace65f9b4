package discovery

import (
	"encoding/json"
	"errors"
	"fmt"
)

// reportJSON is the JSON of a report.
type reportJSON[B Bucket] struct {
	OpenAI      *float64 `json:"openai_actual_usd,omitempty"`
	Anthropic   *float64 `json:"anthropic_actual_usd,omitempty"`
	XAI         *float64 `json:"xai_actual_usd,omitempty"`
	Attributed  *float64 `json:"attributed_usd"`
	Drift       *float64 `json:"drift_usd"`
	DriftPct    *float64 `json:"drift_pct"`
	Buckets     []B      `json:"buckets"`
	MissingDays []string `json:"missing_days,omitempty"`
	WindowStart int64    `json:"window_start"`
	WindowEnd   *int64   `json:"window_end"`
	Complete    bool     `json:"complete"`
	Settled     bool     `json:"settled"`
}

// actuals returns the fields of the actual amount by provider.
func (r *reportJSON[B]) actuals() map[Provider]**float64 {
	return map[Provider]**float64{OpenAI: &r.OpenAI, Anthropic: &r.Anthropic, XAI: &r.XAI}
}

// MarshalJSON writes the actual amount as openai_actual_usd, anthropic_actual_usd or xai_actual_usd, depending on Provider, and
// the other fields in snake case. A missing amount and an open end are null; missing_days is omitted if empty. An unknown
// provider is an error.
func (r ReconciliationReport[B]) MarshalJSON() ([]byte, error) {
	report := reportJSON[B]{
		Attributed: r.AttributedUSD, Drift: r.DriftUSD, DriftPct: r.DriftPct, Buckets: append([]B{}, r.Buckets...),
		MissingDays: r.MissingDays, WindowStart: r.WindowStart, WindowEnd: r.WindowEnd,
		Complete: r.Complete, Settled: r.Settled,
	}
	actual := report.actuals()[r.Provider]
	if actual == nil {
		return nil, fmt.Errorf("discovery: there are no reports of provider %q", showable(string(r.Provider)))
	}
	*actual = &r.ActualUSD
	return json.Marshal(report)
}

// UnmarshalJSON parses the output of [ReconciliationReport.MarshalJSON]. An object without complete, or without the actual
// amount of exactly one provider, is an error.
func (r *ReconciliationReport[B]) UnmarshalJSON(data []byte) error {
	var report struct {
		reportJSON[B]
		Complete *bool `json:"complete"` // hides the other, to tell false from absent
	}
	if err := json.Unmarshal(data, &report); err != nil {
		return err
	}
	read := ReconciliationReport[B]{
		AttributedUSD: report.Attributed, DriftUSD: report.Drift, DriftPct: report.DriftPct, Buckets: append([]B{}, report.Buckets...),
		MissingDays: report.MissingDays, WindowStart: report.WindowStart, WindowEnd: report.WindowEnd, Settled: report.Settled,
	}
	given := 0
	for provider, actual := range report.actuals() {
		if *actual != nil {
			read.Provider, read.ActualUSD = provider, **actual
			given++
		}
	}
	if given != 1 || report.Complete == nil {
		return errors.New("discovery: the JSON is not a reconciliation report")
	}
	read.Complete = *report.Complete
	*r = read
	return nil
}
