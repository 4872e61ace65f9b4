package pricelist

// Saved is a row of a list in a file. Prices are decimals, "" if unknown, and times are those of FormatTime.
type Saved struct {
	Provider     string `json:"provider"`
	Model        string `json:"model"`
	MinPrompt    int64  `json:"min_prompt,omitempty"`
	Input        string `json:"input,omitempty"`
	CacheRead    string `json:"cache_read,omitempty"`
	CacheWrite5m string `json:"cache_write_5m,omitempty"`
	CacheWrite1h string `json:"cache_write_1h,omitempty"`
	// Single1h is SingleSourceWrite1h.
	Single1h   string `json:"single_source_cache_write_1h,omitempty"`
	Output     string `json:"output,omitempty"`
	From       string `json:"from,omitempty"`
	Until      string `json:"until,omitempty"`
	Mode       string `json:"mode,omitempty"`
	Modality   string `json:"modality,omitempty"`
	Source     string `json:"source"`
	VerifiedAt string `json:"verified_at"`
	SameAs     string `json:"same_as,omitempty"`
}

// Save returns the rows of the list for a file.
func (l *List) Save() []Saved {
	saved := make([]Saved, len(l.Rows()))
	for i, r := range l.Rows() {
		saved[i] = Saved{
			Provider: r.Provider, Model: r.Model, MinPrompt: r.MinPrompt, Input: text(r.Input), CacheRead: text(r.CacheRead),
			CacheWrite5m: text(r.CacheWrite5m), CacheWrite1h: text(r.CacheWrite1h), Single1h: text(r.SingleSourceWrite1h), Output: text(r.Output),
			From: FormatTime(r.From), Until: FormatTime(r.Until), Mode: r.Mode, Modality: r.Modality, Source: r.Source, VerifiedAt: r.VerifiedAt, SameAs: r.SameAs,
		}
	}
	return saved
}

func text(p Price) string {
	if p == nil {
		return ""
	}
	return p.String()
}

// Load returns the list that Save saved. It returns false if a row is not one of Save. A list without rows is nil, that of an
// empty list of prices.
func Load(saved []Saved) (l *List, ok bool) {
	if len(saved) == 0 {
		return nil, true
	}
	rows := make([]Row, len(saved))
	for i, s := range saved {
		from, err1 := ParseTime(s.From)
		until, err2 := ParseTime(s.Until)
		if _, err := ParseTime(s.VerifiedAt); err != nil || err1 != nil || err2 != nil || companies[s.Provider] == "" || s.Model == "" || s.MinPrompt < 0 {
			return nil, false
		}
		for _, cell := range []string{s.Input, s.CacheRead, s.CacheWrite5m, s.CacheWrite1h, s.Single1h, s.Output} {
			if badPrice(cell) {
				return nil, false
			}
		}
		rows[i] = Row{
			Provider: s.Provider, Model: s.Model, MinPrompt: s.MinPrompt, Input: ParsePrice(s.Input), CacheRead: ParsePrice(s.CacheRead),
			CacheWrite5m: ParsePrice(s.CacheWrite5m), CacheWrite1h: ParsePrice(s.CacheWrite1h), SingleSourceWrite1h: ParsePrice(s.Single1h), Output: ParsePrice(s.Output),
			From: from, Until: until, Kind: Kind{Mode: s.Mode, Modality: s.Modality}, Source: s.Source, VerifiedAt: s.VerifiedAt, SameAs: s.SameAs,
		}
	}
	return New(rows), true
}
