package main

import (
	"cmp"
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// priceKey is a model with the length of the prompts above which a price holds, 0 for the others.
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

// The cells of prices, in the order of the table.
const (
	input = iota
	cacheRead
	cacheWrite5m
	cacheWrite1h
	output
	cells
)

// rates are prices, decimals in USD per million tokens; "" is not known.
type rates [cells]string

func (p rates) known() bool { return p[input] != "" || p[output] != "" }

// same reports whether input and output are equal.
func (p rates) same(q rates) bool { return p[input] == q[input] && p[output] == q[output] }

// statement is what a feed has for a price.
type statement struct {
	Prices rates `json:"prices"`
	// Since is the day from which on the feed has each cell; "" when the first answer of the feed had it.
	Since rates `json:"since"`
	// Start is the day on which the feed dates the price; "" for most.
	Start string `json:"start,omitempty"`
	// Named reports that the feed has the id itself, and not a pattern that matches it.
	Named bool `json:"named,omitempty"`
	// NotText reports that the feed lists the model as one that is not for text.
	NotText bool `json:"not_text,omitempty"`
	// Doubt is the reason why the statement has no vote; "" for most.
	Doubt string `json:"doubt,omitempty"`
	// Gone is the day from which on the feed no longer has it.
	Gone string `json:"gone,omitempty"`
}

// began returns the day since which the feed has this input and output.
func (s statement) began() string { return max(s.Since[input], s.Since[output]) }

type statements map[priceKey]statement

// voting returns the number of prices that have a vote, without those of patterns.
func (s statements) voting() int {
	n := 0
	for _, one := range s {
		if one.Gone == "" && one.Doubt == "" && one.Named {
			n++
		}
	}
	return n
}

// The prices of text models are between these, in USD per million tokens. One outside was written in another unit.
var lowest, highest = big.NewRat(1, 100), big.NewRat(1000, 1)

// add adds a statement. One without an input and an output is ignored. One whose prices cannot be true has no vote, and of two
// different ones for a model neither has.
func (s statements) add(key priceKey, one statement) {
	if one.Prices[input] == "" || one.Prices[output] == "" {
		return
	}
	for i, usd := range one.Prices {
		if i != input && i != output && usd == "0" {
			one.Prices[i] = "" // a feed writes 0 for a cache price that it does not know
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

// decimal returns a JSON number times a factor as a plain decimal; "" for what is no price.
func decimal(text string, factor int64) string {
	if len(text) > 40 || strings.ContainsAny(text, "/xXpP_") { // what only Rat.SetString reads
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
