package discovery

import "time"

// ProviderPricing is one row of a price list, of one provider and SKU (SPEC.md, ProviderPricing). All prices are USD per
// million tokens. nil means that there is no such price, or that it is not known; 0 is what a free SKU costs, and nothing else.
//
// A model with prices by the length of the prompt has several rows, told apart by TierThresholdTokens; [PriceAt] picks one.
type ProviderPricing struct {
	// Provider is whose price it is.
	Provider Provider `json:"provider"`
	// ModelHint names the model: an Anthropic id as it is, or what the description of a Gemini SKU says, in lower case with
	// blanks, as in "gemini 3.5 flash lite" ([NormalizeModelID] makes an id of it); "" where a SKU names no Gemini model.
	ModelHint string `json:"model_hint"`
	// SKUID is the id of the SKU. Rows of a table without SKUs have the model's id, and whatever tells their tier.
	SKUID string `json:"sku_id"`
	// SKUDescription is the description as the provider wrote it.
	SKUDescription string `json:"sku_description"`
	// InputPerMTok is the price of input. A Gemini SKU is for input or for output, so one of the two is nil; in a row whose
	// Mode has "cached" in it, it is the price of reading from the cache.
	InputPerMTok *float64 `json:"input_per_mtok"`
	// OutputPerMTok is the price of output.
	OutputPerMTok *float64 `json:"output_per_mtok"`
	// CacheReadPerMTok is the price of input that is read from the cache; nil is not known. [Client.CostOf] uses this field
	// and the next two, never RawPricing.
	CacheReadPerMTok *float64 `json:"cache_read_per_mtok"`
	// CacheWrite5mPerMTok and CacheWrite1hPerMTok are the prices of input that is written to the cache for five minutes and
	// for an hour; for OpenAI, for 30 minutes and for 12 hours. nil is not known.
	CacheWrite5mPerMTok *float64 `json:"cache_write_5m_per_mtok"`
	CacheWrite1hPerMTok *float64 `json:"cache_write_1h_per_mtok"`
	// TierThresholdTokens is the length of the prompt, in tokens, from which the row holds; 0 for from the first on.
	TierThresholdTokens int64 `json:"tier_threshold_tokens"`
	// UsageUnit is the unit that the provider counts in, as in "count"; nil where there is none.
	UsageUnit *string `json:"usage_unit"`
	// Source says where the row is from: [SourceCloudBilling], or a text for people that names who was read, and, where the
	// row rests on little, says so.
	Source string `json:"source"`
	// VerifiedAt is when the source was read, as a date or an RFC 3339 time; nil when nobody knows. See [ProviderPricing.Age].
	VerifiedAt *string `json:"verified_at"`
	// ValidFrom and ValidUntil are the first UTC day of the price and the first day after it, as in "2026-12-01"; nil is open.
	ValidFrom  *string `json:"valid_from"`
	ValidUntil *string `json:"valid_until"`
	// RawPricing has the cache prices of Anthropic's models; nil where there are none.
	RawPricing *RawPricing `json:"raw_pricing"`
	// Modality is what the tokens are of: one of the Modality constants, "" where the SKU does not tell.
	Modality string `json:"modality"`
	// Mode is what kind of request, or of thing, the price is for: one of the Mode constants. Several that meet are joined
	// with a hyphen, as in flex-cached.
	Mode string `json:"mode"`
}

// RawPricing holds the cache prices of a model, in USD per million tokens (SPEC.md, ProviderPricing). They are the published
// ones and never derived: the ratio to the input price is not the same for all models (WIRE.md section 9).
type RawPricing struct {
	// CacheWrite5m is the price of writing to the cache for five minutes.
	CacheWrite5m float64 `json:"cache_write_5m"`
	// CacheWrite1h is the price of writing to the cache for an hour.
	CacheWrite1h float64 `json:"cache_write_1h"`
	// CacheHit is the price of reading from the cache.
	CacheHit float64 `json:"cache_hit"`
}

// SourceCloudBilling is the Source of prices that the Cloud Billing catalog lists.
const SourceCloudBilling = "cloudbilling"

// The values of [ProviderPricing].Modality.
const (
	ModalityText  = "text"
	ModalityImage = "image"
	ModalityAudio = "audio"
	ModalityVideo = "video"
)

// The values of [ProviderPricing].Mode. The first is the list price of a plain request; rows with one of the last four never
// have a price.
const (
	ModeStandard = "standard"
	// ModeCached: input that is read from a cache.
	ModeCached = "cached"
	// ModeBatch: requests that are sent as a batch.
	ModeBatch = "batch"
	// ModeFlex and ModePriority: requests served later, or first.
	ModeFlex     = "flex"
	ModePriority = "priority"
	// ModeLive: the Live API (bidirectional streaming).
	ModeLive = "live"
	// ModeFree: what costs nothing. Its price of 0 is no list price of a paid request.
	ModeFree = "free"
	// ModeUnknown: the description holds words that this package does not know, and which may change what is charged.
	ModeUnknown = "unknown"
	// ModeStorage: keeping a cache, per token and hour.
	ModeStorage = "storage"
	// ModeGrounding: searches and maps, per call.
	ModeGrounding = "grounding"
	// ModeOther: anything else that is not counted in tokens, such as images and videos.
	ModeOther = "other"
)

// Direction is which way tokens go. The zero value means [Output], as in the source document.
type Direction string

// The two directions.
const (
	Output Direction = "output"
	Input  Direction = "input"
)

// orDefault is d with the default in place.
func (d Direction) orDefault() Direction {
	if d == "" {
		return Output
	}
	return d
}

func (d Direction) check() error {
	if d = d.orDefault(); d != Input && d != Output {
		return &ValueError{Field: "direction", Value: showable(string(d)), Reason: "is neither input nor output"}
	}
	return nil
}

// price returns the price in one direction.
func (p *ProviderPricing) price(d Direction) *float64 {
	if d == Input {
		return p.InputPerMTok
	}
	return p.OutputPerMTok
}

// clone returns a copy that shares nothing with p.
func (p *ProviderPricing) clone() ProviderPricing {
	c := *p
	c.InputPerMTok, c.OutputPerMTok = copied(p.InputPerMTok), copied(p.OutputPerMTok)
	c.CacheReadPerMTok, c.CacheWrite5mPerMTok, c.CacheWrite1hPerMTok = copied(p.CacheReadPerMTok), copied(p.CacheWrite5mPerMTok), copied(p.CacheWrite1hPerMTok)
	c.UsageUnit, c.VerifiedAt, c.RawPricing = copied(p.UsageUnit), copied(p.VerifiedAt), copied(p.RawPricing)
	c.ValidFrom, c.ValidUntil = copied(p.ValidFrom), copied(p.ValidUntil)
	return c
}

// PriceAt picks the row for a prompt of so many tokens: the one with the highest threshold that is not above tokens
// (SPEC.md, ProviderPricing). false means that no row holds from there. Of rows with the same threshold it takes the first,
// so give it the rows of one model, mode and modality. The result points into records.
//
// Anthropic's thresholds are exact: the row for prompts over 100,000 tokens begins at 100,001. Google's are the round figure
// that the SKU names, 128,000 or 200,000, as the source document has them: a prompt of exactly that many tokens is still
// billed at the row below, so subtract one from it when you price a real prompt.
func PriceAt(records []ProviderPricing, tokens int64) (*ProviderPricing, bool) {
	var best *ProviderPricing
	for i := range records {
		r := &records[i]
		if r.TierThresholdTokens <= tokens && (best == nil || r.TierThresholdTokens > best.TierThresholdTokens) {
			best = r
		}
	}
	return best, best != nil
}

// Age is how long ago, as of now, the source of the row was read: a price of a static table is only as good as that. A date
// counts from its beginning, in UTC. It is 0 for a time that has not come yet; false means that VerifiedAt does not tell.
func (p ProviderPricing) Age(now time.Time) (time.Duration, bool) {
	if p.VerifiedAt == nil {
		return 0, false
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.Parse(layout, *p.VerifiedAt); err == nil {
			return max(now.Sub(at), 0), true
		}
	}
	return 0, false
}
