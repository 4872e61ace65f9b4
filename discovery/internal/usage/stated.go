package usage

import (
	"strings"

	"github.com/mesh-gateway/mesh-go/internal/decimal"
	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

// stated is what a usage object states about money, as OpenRouter's does. Amounts are the JSON of their values, or "".
type stated struct {
	cost, upstreamCost string
	byok, foreign      bool // foreign reports another currency than US dollars
	// wrong is why the amounts cannot be read.
	wrong *Error
}

// states reports whether objects of a form may have a charge: those of the APIs that OpenRouter has.
func states(form string) bool { return form == "openai" || form == "anthropic" }

// member reads a member that is no count. Other providers may have members of the same names, so nothing is an error yet.
func (s *stated) member(d *jsonread.Decoder, name string) (err error) {
	switch name {
	case "cost":
		if d.Next() != jsonread.Object {
			return s.amount(d, name, &s.cost)
		}
		return eachMember(d, name, func(key []byte) error { // Perplexity
			if string(key) == "total_cost" {
				return s.amount(d, "cost."+string(key), &s.cost)
			}
			return s.currency(d, string(key))
		})
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
		return eachMember(d, name, func(key []byte) error {
			if string(key) == "upstream_inference_cost" {
				return s.amount(d, "cost_details."+string(key), &s.upstreamCost)
			}
			return s.currency(d, string(key))
		})
	}
	return s.currency(d, name)
}

// amount keeps the text of a number. A value of another type is no amount.
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
			s.refuse(name, "is no amount of money")
		}
	}
	return err
}

// currency refuses amounts that are not in US dollars.
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

// charge returns the charge that an object of a form states, or "". A fee of a use of a tool is in it.
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

// upstream returns the charge of the provider behind OpenRouter, which is not in the cost only if the call was made with a key of
// that provider.
func (s *stated) upstream() (byok bool, usd string) {
	if !s.byok || s.upstreamCost == "" {
		return s.byok, ""
	}
	return true, plain(s.upstreamCost)
}

// plain returns an amount that was parsed before, without an exponent.
func plain(amount string) string {
	usd, _ := decimal.Parse(amount)
	return usd.String()
}
