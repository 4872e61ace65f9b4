package usage

import (
	"maps"
	"strings"

	"github.com/mesh-gateway/mesh-go/internal/decimal"
	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

// object that counts tool uses -> suffix on its member names
var toolCounts = map[string]string{
	"server_tool_use":                "_requests", // Anthropic, DeepSeek
	"server_side_tool_usage_details": "_calls",    // xAI
	"server_tool_use_details":        "_requests", // OpenRouter
}

// free reports whether a tool costs nothing but tokens. Web fetches are free at
// Anthropic, not at DeepSeek.
func free(provider, tool string) bool {
	return tool == "mcp" || (tool == "web_fetch" && provider != "deepseek")
}

// billed returns the tool uses that the provider bills in addition to tokens, or nil.
func (c *counts) billed(provider string) map[string]int64 {
	if c.requests == nil { // nearly always
		return nil
	}
	maps.DeleteFunc(c.requests, func(tool string, _ int64) bool { return free(provider, tool) })
	if len(c.requests) == 0 {
		return nil
	}
	return c.requests
}

// tools reads an object such as {"web_search_requests": 2}.
func (c *counts) tools(d *jsonread.Decoder, name string) error {
	if d.Next() != jsonread.Object {
		return c.other(d, name)
	}
	return eachMember(d, name, func(key []byte) error {
		c.listed = true
		tool, counted := strings.CutSuffix(string(key), toolCounts[name])
		if !counted || d.Next() != jsonread.Number { // another unit, such as seconds
			return c.unknown(d, string(key))
		}
		n, err := amount(d, name)
		if err != nil {
			return err
		}
		if c.detailed += n; c.detailed > maxTokens {
			return &Error{name, "is too large"}
		}
		return c.addRequests(tool, n)
	})
}

// Gemini's tool name -> name in the prices
var groundingTools = map[string]string{"google_search": "grounding", "google_maps": "maps"}

// grounding reads an entry such as {"type": "google_search", "count": 2}.
func (c *counts) grounding(d *jsonread.Decoder) error {
	tool, n, err := entry(d, "grounding_tool_count", "type", "count")
	if err != nil {
		return err
	}
	if name := groundingTools[tool]; name != "" {
		tool = name
	}
	return c.addRequests(tool, n)
}

// addRequests counts a tool as "unknown" if its name isn't an identifier.
func (c *counts) addRequests(tool string, n int64) error {
	if n == 0 {
		return nil
	}
	if !identifier(tool) {
		tool = "unknown"
	}
	if c.requests == nil {
		c.requests = make(map[string]int64)
	}
	if c.requests[tool] += n; c.requests[tool] > maxTokens {
		return &Error{"tools", "have a count that is too large"}
	}
	return nil
}

// identifier reports whether a name from a provider can be shown.
func identifier(name string) bool {
	const longest, letters = 64, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"
	return name != "" && len(name) <= longest && strings.Trim(name, letters) == ""
}

// stated has the amounts in a usage object, such as OpenRouter's cost, as JSON numbers or
// "".
type stated struct {
	cost, upstreamCost string
	byok, foreign      bool // foreign reports another currency than US dollars
	// wrong is set if an amount is unreadable.
	wrong *Error
}

// states reports whether an object may include a charge, which OpenRouter adds to these
// forms.
func states(form string) bool { return form == "openai" || form == "anthropic" }

// member reads a member that isn't a count. It keeps errors for charge, because other
// providers use the same names for something else.
func (s *stated) member(d *jsonread.Decoder, name string) (err error) {
	switch name {
	case "cost":
		if d.Next() != jsonread.Object {
			return s.amount(d, name, &s.cost)
		}
		return s.details(d, name, "total_cost", &s.cost) // Perplexity
	case "is_byok":
		if d.Next() == jsonread.Bool {
			s.byok, err = d.Bool()
			return err
		}
		return d.Skip()
	case "cost_details":
		if d.Next() != jsonread.Object {
			return d.Skip()
		}
		return s.details(d, name, "upstream_inference_cost", &s.upstreamCost)
	}
	return s.currency(d, name)
}

// details reads an object with one amount.
func (s *stated) details(d *jsonread.Decoder, object, name string, to *string) error {
	return eachMember(d, object, func(key []byte) error {
		if string(key) == name {
			return s.amount(d, object+"."+name, to)
		}
		return s.currency(d, string(key))
	})
}

// amount keeps a number's text and skips other types.
func (s *stated) amount(d *jsonread.Decoder, name string, to *string) error {
	kind := d.Next()
	raw, err := d.Raw()
	switch {
	case err != nil, kind != jsonread.Number:
	case raw[0] == '-' && strings.Trim(string(raw), `-+0.eE`) != "":
		s.refuse(name, "is negative")
	default:
		*to = string(raw)
		if _, err := decimal.Parse(*to); err != nil {
			s.refuse(name, "is not an amount of money")
		}
	}
	return err
}

// currency refuses amounts that aren't in US dollars.
func (s *stated) currency(d *jsonread.Decoder, name string) error {
	if name != "currency" && name != "cost_currency" || d.Next() != jsonread.String {
		return d.Skip()
	}
	code, err := d.Str()
	s.foreign = s.foreign || !strings.EqualFold(code, "usd")
	return err
}

func (s *stated) refuse(field, reason string) {
	if s.wrong == nil {
		s.wrong = &Error{field, reason}
	}
}

// charge returns the stated charge, which includes tool fees, or "".
func (c *counts) charge(form string) (usd string, err error) {
	switch s := &c.stated; {
	case form == "xai" && c.value[costTicks] > 0:
		return ticks(c.value[costTicks]), nil
	case !states(form):
		return "", nil
	case s.wrong != nil:
		return "", s.wrong
	case s.cost == "":
		return "", nil
	case s.foreign:
		return "", &Error{"cost", "is in another currency"}
	default:
		return plain(s.cost), nil
	}
}

// upstream returns the charge by the provider behind OpenRouter. It is separate from the
// cost only if the call used a key for that provider.
func (s *stated) upstream() (byok bool, usd string) {
	if !s.byok || s.upstreamCost == "" {
		return s.byok, ""
	}
	return true, plain(s.upstreamCost)
}

// plain writes a valid amount without an exponent.
func plain(amount string) string {
	usd, _ := decimal.Parse(amount)
	return usd.String()
}
