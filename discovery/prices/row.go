package prices

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/pricelist"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// Row is one price list entry. Prices are for a million tokens. "" means that the price
// is unknown or doesn't exist; only free use has the price "0".
//
// If a model's price depends on prompt length, it has several rows, which differ in
// TierThresholdTokens.
type Row struct {
	// Provider charges the price.
	Provider models.Provider `json:"provider"`
	// ModelHint is the model id.
	ModelHint string `json:"model_hint"`
	// SKUID and SKUDescription name the row by model, mode, modality, tier and period.
	SKUID          string `json:"sku_id"`
	SKUDescription string `json:"sku_description"`
	// InputPerMTok is the input price, and OutputPerMTok the output price.
	InputPerMTok  USD `json:"input_per_mtok"`
	OutputPerMTok USD `json:"output_per_mtok"`
	// CacheReadPerMTok is the price for input read from the cache.
	CacheReadPerMTok USD `json:"cache_read_per_mtok"`
	// CacheWrite5mPerMTok and CacheWrite1hPerMTok are prices for input written to the
	// cache for five minutes and for an hour; for OpenAI, for 30 minutes and for 12 hours.
	CacheWrite5mPerMTok USD `json:"cache_write_5m_per_mtok"`
	CacheWrite1hPerMTok USD `json:"cache_write_1h_per_mtok"`
	// TierThresholdTokens is the shortest prompt to which the row applies, in tokens; 0
	// for any length.
	TierThresholdTokens int64 `json:"tier_threshold_tokens"`
	// UsageUnit is the provider's unit, as in "count", or "".
	UsageUnit string `json:"usage_unit"`
	// Source names what was read and how reliable it is.
	Source string `json:"source"`
	// VerifiedAt is when the source was read, or when public price feeds last stated the
	// row, whichever is later. It is a date or an RFC 3339 time; "" if unknown.
	VerifiedAt string `json:"verified_at"`
	// ValidFrom is when the price begins. ValidUntil is when it ends, exclusive. Both are
	// a UTC day, as in "2026-12-01", or an RFC 3339 time; "" means no limit.
	ValidFrom  string `json:"valid_from"`
	ValidUntil string `json:"valid_until"`
	// Modality is one of the Modality constants; "" is text.
	Modality string `json:"modality"`
	// Mode is one of the Mode constants; "" is standard. Several are joined with a hyphen,
	// as in flex-cached, but with "+" in a call's Mode.
	Mode string `json:"mode"`
}

// Values for [Row].Modality.
const (
	ModalityText  = "text"
	ModalityImage = "image"
	ModalityAudio = "audio"
	ModalityVideo = "video"
)

// Values for [Row].Mode. ModeStandard is the list price for a plain request. Rows with
// ModeUnknown, ModeStorage, ModeGrounding or ModeOther never have a price.
const (
	ModeStandard = "standard"
	// ModeCached is input read from a cache.
	ModeCached = "cached"
	// ModeBatch is for requests in a batch.
	ModeBatch = "batch"
	// ModeFlex and ModePriority are service tiers with lower and higher priority.
	ModeFlex     = "flex"
	ModePriority = "priority"
	// ModePeak and ModeOffPeak are DeepSeek's hours. Since 2026-08-16 16:00 UTC, peak is
	// from 01:00 to 04:00 and from 06:00 to 10:00 UTC, except on Chinese public holidays
	// and, since 2026-08-22 16:00 UTC, on weekends. From 2025-02-26 16:30 to 2025-09-05
	// 16:00 UTC, off-peak was from 16:30 to 00:30 UTC.
	ModePeak    = "peak"
	ModeOffPeak = "off-peak"
	// ModeLive is Gemini's Live API, for sessions in real time. [Live] prices are something
	// else.
	ModeLive = "live"
	// ModeFree is free use. Its price of 0 is not the price of a paid request.
	ModeFree = "free"
	// ModeUnknown marks a SKU whose description has unknown words, which may change the
	// price.
	ModeUnknown = "unknown"
	// ModeStorage is cache storage, per token and hour.
	ModeStorage = "storage"
	// ModeGrounding is for searches and maps, per use.
	ModeGrounding = "grounding"
	// ModeOther is anything else not counted in tokens, such as images and videos.
	ModeOther = "other"
)

func rowsOf(listed []pricelist.Row) []Row {
	rows := make([]Row, len(listed))
	for i := range listed {
		rows[i] = rowOf(&listed[i])
	}
	return rows
}

func rowOf(r *pricelist.Row) Row {
	row := Row{
		Provider: models.Provider(r.Provider), ModelHint: r.Model, SKUID: r.Model, SKUDescription: r.Model + " list price",
		InputPerMTok: usd(r.Input), OutputPerMTok: usd(r.Output), CacheReadPerMTok: usd(r.CacheRead),
		CacheWrite5mPerMTok: usd(r.CacheWrite5m), CacheWrite1hPerMTok: usd(r.CacheWrite1h),
		ValidFrom: pricelist.FormatTime(r.From), ValidUntil: pricelist.FormatTime(r.Until), VerifiedAt: r.VerifiedAt,
		TierThresholdTokens: r.MinPrompt, Source: r.Source, Modality: cmp.Or(r.Modality, ModalityText), Mode: cmp.Or(r.Mode, ModeStandard),
	}
	for _, part := range [...]string{r.Mode, r.Modality} {
		if part != "" {
			row.SKUID += "@" + part
			row.SKUDescription += ", " + part
		}
	}
	if r.MinPrompt > 0 {
		from := strconv.FormatInt(r.MinPrompt, 10)
		row.SKUID += "@" + from
		row.SKUDescription += ", prompts from " + from + " tokens"
	}
	if row.ValidUntil != "" && !r.Live {
		row.SKUID += "@until-" + row.ValidUntil
		row.SKUDescription += ", until " + row.ValidUntil
	}
	return row
}

// usd returns "" for an unknown price.
func usd(price pricelist.Price) USD { return USD(pricelist.Text(price)) }

// Age returns the time since the row was verified. A date counts from 00:00 UTC, and a
// future time gives 0. Age returns false if VerifiedAt is "" or invalid.
func (r Row) Age(now time.Time) (time.Duration, bool) {
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.Parse(layout, r.VerifiedAt); err == nil {
			return max(now.Sub(at), 0), true
		}
	}
	return 0, false
}

// PricingForAnthropicModel returns an Anthropic model's standard row in the built-in
// list, as priced today. It returns false if the list has no price for the model.
//
// The id is looked up as in [List.ForModel], and then without its build. If the price
// depends on prompt length, the row is for short prompts. Unlike [List.Price] it finds a
// build that is too new for the list, at its model's price.
func PricingForAnthropicModel(id string) (Row, bool) {
	list := BuiltIn().table
	rows := list.Model(string(models.Anthropic), id)
	if rows == nil {
		rows = firstRows(list, models.Anthropic, lookupNames(models.Anthropic, id))
	}
	if len(rows) > 0 && rows[0].SameAs != "" {
		rows = list.Model(string(models.Anthropic), rows[0].SameAs)
	}
	row, _ := pricelist.InForce(rows, pricelist.Kind{}, time.Now(), 0)
	if row == nil || !row.Priced() {
		return Row{}, false
	}
	return rowOf(row), true
}

// ListAnthropicPricing returns Anthropic's built-in rows that are in force today, to show
// a price list. Each priced id has one row. If its price depends on prompt length it has
// two, the row for shorter prompts first.
func ListAnthropicPricing() []Row {
	now := time.Now()
	rows := slices.DeleteFunc(slices.Clone(BuiltIn().table.Rows()), func(r pricelist.Row) bool {
		return r.Provider != string(models.Anthropic) || r.SameAs != "" || !r.Priced() || !r.ValidAt(now)
	})
	return rowsOf(rows)
}
