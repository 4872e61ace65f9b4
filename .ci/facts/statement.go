package main

import (
	"cmp"
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// priceKey identifies a price. It holds for prompts longer than above tokens; 0 is the
// base price.
type priceKey struct {
	provider, model string
	above           int64
}

func (k priceKey) String() string { return fmt.Sprintf("%s/%s/%d", k.provider, k.model, k.above) }

func (k priceKey) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

func (k *priceKey) UnmarshalText(text []byte) (err error) {
	provider, rest, _ := strings.Cut(string(text), "/")
	end := strings.LastIndexByte(rest, '/')
	if end < 0 {
		return fmt.Errorf("%q is no price", text)
	}
	k.provider, k.model = provider, rest[:end]
	k.above, err = strconv.ParseInt(rest[end+1:], 10, 64)
	return err
}

func compareKeys(a, b priceKey) int {
	return cmp.Or(cmp.Compare(a.provider, b.provider), cmp.Compare(a.model, b.model), cmp.Compare(a.above, b.above))
}

// Price cells, in table order.
const (
	input = iota
	cacheRead
	cacheWrite5m
	cacheWrite1h
	output
	cells
)

// rates are decimals in USD per million tokens; "" is unknown.
type rates [cells]string

func (p rates) known() bool { return p[input] != "" || p[output] != "" }

// same ignores cache prices.
func (p rates) same(q rates) bool { return p[input] == q[input] && p[output] == q[output] }

// statement is a price published by a feed.
type statement struct {
	Prices rates `json:"prices"`
	// Since is the day when the feed first had each cell; "" if its first answer had it.
	Since rates `json:"since"`
	// Start is the price's start date according to the feed. It's usually "".
	Start string `json:"start,omitempty"`
	// Released is the model's release day according to the feed, or "".
	Released string `json:"released,omitempty"`
	// Named reports that the feed has the id itself, not just a matching pattern.
	Named bool `json:"named,omitempty"`
	// NotText reports that the feed doesn't list the model as a text model.
	NotText bool `json:"not_text,omitempty"`
	// Doubt is the reason if the statement has no vote.
	Doubt string `json:"doubt,omitempty"`
	// Gone is the first day without the price.
	Gone string `json:"gone,omitempty"`
}

// began returns the day since which the feed has this input and output.
func (s statement) began() string { return max(s.Since[input], s.Since[output]) }

type statements map[priceKey]statement

// voting counts prices with a vote, without patterns.
func (s statements) voting() int {
	n := 0
	for _, one := range s {
		if one.Gone == "" && one.Doubt == "" && one.Named {
			n++
		}
	}
	return n
}

// lowest and highest limit text model prices, in USD per million tokens. Prices outside
// use another unit.
var lowest, highest = big.NewRat(1, 100), big.NewRat(1000, 1)

// add ignores statements that lack an input or output price. Implausible prices get no
// vote. If a feed has two prices for a model, neither gets a vote.
func (s statements) add(key priceKey, one statement) {
	if one.Prices[input] == "" || one.Prices[output] == "" {
		return
	}
	for i, usd := range one.Prices {
		if i != input && i != output && usd == "0" {
			one.Prices[i] = "" // feeds write 0 for an unknown cache price
		}
	}
	switch first, ok := s[key]; {
	case ok && first.Named != one.Named:
		if first.Named {
			one = first
		}
	case ok && first.Prices != one.Prices:
		one = first
		one.Doubt = "two prices"
	}
	for _, i := range []int{input, output} {
		switch usd, _ := new(big.Rat).SetString(one.Prices[i]); {
		case usd.Sign() == 0:
			one.Doubt = "a price of 0"
		case usd.Cmp(lowest) < 0 || usd.Cmp(highest) > 0:
			one.Doubt = "no price of a million tokens"
		}
	}
	s[key] = one
}

// decimal multiplies a JSON number by a factor and returns a plain decimal, or "" if it
// isn't a price.
func decimal(text string, factor int64) string {
	if len(text) > 40 || strings.ContainsAny(text, "/xXpP_") { // syntax that only Rat.SetString accepts
		return ""
	}
	if _, exponent, ok := strings.Cut(strings.ToLower(text), "e"); ok {
		if n, err := strconv.Atoi(exponent); err != nil || n < -30 || n > 30 {
			return ""
		}
	}
	usd, ok := new(big.Rat).SetString(text)
	if !ok || usd.Sign() < 0 {
		return ""
	}
	plain := usd.Mul(usd, big.NewRat(factor, 1)).FloatString(9)
	return strings.TrimSuffix(strings.TrimRight(plain, "0"), ".")
}
