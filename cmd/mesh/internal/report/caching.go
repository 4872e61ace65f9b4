package report

import (
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

// Cache is what caches read and saved.
type Cache struct {
	// Ratio is the part of all input tokens that was read from caches, and PreviousRatio the same part of Previous.
	Ratio         *float64 `json:"ratio"`
	PreviousRatio *float64 `json:"previous_ratio"`
	// SavedUSD is what the calls would have cost more with all cached tokens as input. Writing to caches is dearer than input and counts
	// against it, so it can be negative. WithoutUSD is the known cost of all calls and SavedUSD.
	SavedUSD   prices.USD `json:"saved_usd"`
	WithoutUSD prices.USD `json:"without_usd"`
	// Calls is the number of calls with cached tokens, and Skipped how many of them are not in SavedUSD, because the price list does not
	// lead to the cost that was recorded.
	Calls   int `json:"calls"`
	Skipped int `json:"skipped"`
	// Models are those with cached tokens, what saved most first.
	Models []CacheRow `json:"models"`
}

// CacheRow is a row of Cache.
type CacheRow struct {
	ModelID
	Others     bool       `json:"others,omitempty"`
	Ratio      *float64   `json:"ratio"`
	USD        prices.USD `json:"usd"`
	SavedUSD   prices.USD `json:"saved_usd"`
	WithoutUSD prices.USD `json:"without_usd"`
}

// caching is what caches saved.
type caching struct {
	calls, skipped int
	saved          decimal.Sum
}

// add adds a call with cached tokens.
func (s *caching) add(c *call, list *prices.List) {
	s.calls++
	if saved, ok := savedBy(c, list); ok {
		s.saved.Add(saved)
	} else {
		s.skipped++
	}
}

// savedBy returns what the call would have cost more with all cached tokens as input. It is not known if the list does not lead to the
// cost that was recorded.
func savedBy(c *call, list *prices.List) (saved decimal.Decimal, ok bool) {
	if !c.known || !c.HasCounts {
		return saved, false
	}
	now, _ := c.Call()
	now.Usage.ChargedUSD = ""
	cost, err := list.CostOf(now)
	if err != nil || decimal.FromText(cost.USD).Cmp(c.usd) != 0 {
		return saved, false
	}
	now.Usage = uncached(now.Usage)
	without, err := list.CostOf(now)
	if err != nil {
		return saved, false
	}
	return decimal.FromText(without.USD).Sub(c.usd), true
}

// uncached returns a usage with all cached tokens as input.
func uncached(u prices.Usage) prices.Usage {
	u.Input += u.CacheRead + u.CacheWrite5m + u.CacheWrite1h
	u.AudioInput += u.AudioCacheRead
	u.ImageInput += u.ImageCacheRead
	u.VideoInput += u.VideoCacheRead
	u.CacheRead, u.CacheWrite5m, u.CacheWrite1h, u.AudioCacheRead, u.ImageCacheRead, u.VideoCacheRead = 0, 0, 0, 0, 0, 0
	return u
}
