package discovery

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/gen/deepseek"
	"github.com/mesh-gateway/mesh-go/internal/argument"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

// BalanceOptions selects an account by its key. The zero value is valid.
type BalanceOptions struct {
	// APIKey defaults to the key from [WithKey], or else DEEPSEEK_API_KEY, or else
	// DEEPSEEK_API_KEY in the file named by DEEPSEEK_LEGACY_ENV_PATH.
	APIKey Secret `json:"-" xml:"-"`
	// Timeout limits the request. 0 means [DefaultBalanceTimeout].
	Timeout time.Duration
}

// BalanceSnapshot is a DeepSeek account's balance at one moment, in one currency.
// DeepSeek doesn't report past spending. [SpendBetween] compares two snapshots.
type BalanceSnapshot struct {
	// TotalBalance may be negative.
	TotalBalance float64 `json:"total_balance"`
	// GrantedBalance is the granted part, which may expire. It's 0 if the provider
	// doesn't split the balance.
	GrantedBalance float64 `json:"granted_balance"`
	// ToppedUpBalance is the paid part. It's 0 if the provider doesn't split the balance.
	ToppedUpBalance float64 `json:"topped_up_balance"`
	// Currency is USD, spelled as by the provider.
	Currency string `json:"currency"`
	// IsAvailable reports whether the balance suffices for calls. It's true if the
	// provider doesn't say.
	IsAvailable bool `json:"is_available"`
	// FetchedAt is the response's time, RFC 3339 in UTC.
	FetchedAt *string `json:"fetched_at"`
	// Raw is the unchanged response body, with all currencies.
	Raw json.RawMessage `json:"raw"`
}

// FetchDeepSeekBalance returns a DeepSeek account's balance in US dollars. The key gives
// access to the whole account.
//
// The result is nil, with one [Failure], if the key is missing, the request fails, or the
// response has no valid entry in US dollars. An unreadable entry doesn't hide a good one.
// If there is no good one, the failure tells why an entry is unreadable (such as an
// invalid amount), or else names the currencies found.
//
// If the timeout is negative, FetchDeepSeekBalance returns a [*ValueError].
func (c *Client) FetchDeepSeekBalance(ctx context.Context, opts BalanceOptions) (*BalanceSnapshot, error) {
	if err := cmp.Or(c.ready(ctx), notNegative("Timeout", opts.Timeout)); err != nil {
		return nil, err
	}
	key, err := c.deepSeekKey(ctx, opts.APIKey)
	r := newRequest("FetchDeepSeekBalance", ServiceDeepSeek, key, cmp.Or(opts.Timeout, DefaultBalanceTimeout))
	if err != nil {
		return nil, c.report(ctx, r.missingKey(err))
	}
	balance, failure := fetchAs(ctx, c, r, func(ctx context.Context) (*http.Response, error) {
		return c.apis.deepseek.GetBalance(ctx, bearer(key))
	}, decodeBalance)
	if failure != nil {
		return nil, c.report(ctx, failure)
	}
	now := time.Now().UTC().Format(time.RFC3339)
	balance.FetchedAt = &now
	return &balance, nil
}

var errNoBalance = errors.New("the response has no balance in US dollars")

func decodeBalance(body []byte) (BalanceSnapshot, error) {
	var response deepseek.Balance
	if err := response.UnmarshalJSON(body); err != nil {
		return BalanceSnapshot{}, err
	}
	balance, err := chooseBalance(response.BalanceInfos)
	balance.IsAvailable, balance.Raw = response.IsAvailable, body
	return balance, err
}

func chooseBalance(entries []json.RawMessage) (BalanceSnapshot, error) {
	var currencies []string
	var unreadable error
	for i, raw := range entries {
		balance, err := readBalance(raw)
		switch {
		case err != nil && unreadable == nil:
			unreadable = fmt.Errorf("balance_infos[%d]: %w", i, err)
		case err != nil:
		case strings.EqualFold(balance.Currency, "USD"):
			return balance, nil
		default:
			currencies = append(currencies, argument.Shown(balance.Currency))
		}
	}
	switch {
	case unreadable != nil: // it may be in US dollars
		return BalanceSnapshot{}, unreadable
	case currencies == nil:
		return BalanceSnapshot{}, errNoBalance
	}
	return BalanceSnapshot{}, fmt.Errorf("%w, only in %s", errNoBalance, strings.Join(currencies, ", "))
}

func readBalance(raw json.RawMessage) (BalanceSnapshot, error) {
	var entry deepseek.BalanceInfo
	if err := entry.UnmarshalJSON(raw); err != nil {
		return BalanceSnapshot{}, err
	}
	if strings.TrimSpace(entry.Currency) == "" {
		return BalanceSnapshot{}, errors.New("the balance has no currency")
	}
	if (entry.GrantedBalance == "") != (entry.ToppedUpBalance == "") {
		return BalanceSnapshot{}, errors.New("the balance has only one of its two parts")
	}
	balance := BalanceSnapshot{Currency: entry.Currency}
	for _, field := range []struct {
		to   *float64
		from json.Number
	}{
		{&balance.TotalBalance, entry.TotalBalance},
		{&balance.GrantedBalance, entry.GrantedBalance},
		{&balance.ToppedUpBalance, entry.ToppedUpBalance},
	} {
		amount, err := decimal.Read(field.from)
		if err != nil {
			return BalanceSnapshot{}, err
		}
		*field.to = amount.Float64()
	}
	return balance, nil
}

// SpendBetween returns the amount spent between two snapshots, in their currency: before
// minus after. The difference is exact: 0.3 minus 0.1 is 0.2. An empty currency means
// USD. An expired grant counts as spending.
//
// If the currencies differ, or any part of the balance rose, SpendBetween returns a
// [*ValueError]. A rising balance means that the account was topped up or granted credit,
// so the amount is unknown.
func SpendBetween(before, after BalanceSnapshot) (float64, error) {
	if !strings.EqualFold(currencyOf(before), currencyOf(after)) {
		return 0, invalid("after", after.Currency, "is in another currency than before")
	}
	var spent *big.Rat
	for _, part := range []struct {
		name          string
		before, after float64
	}{
		{"GrantedBalance", before.GrantedBalance, after.GrantedBalance},
		{"ToppedUpBalance", before.ToppedUpBalance, after.ToppedUpBalance},
		{"TotalBalance", before.TotalBalance, after.TotalBalance},
	} {
		from, err := decimal.FromFloat(part.before)
		to, wrong := decimal.FromFloat(part.after)
		if err != nil || wrong != nil {
			return 0, invalid(part.name, "", "must be finite")
		}
		spent = from.Sub(from, to)
		if spent.Sign() < 0 {
			return 0, invalid(part.name, strconv.FormatFloat(part.after, 'g', -1, 64), "is higher than before: the account was topped up")
		}
	}
	f, _ := spent.Float64()
	if !finite(f) {
		return 0, invalid("TotalBalance", "", "is out of range")
	}
	return f, nil
}

func currencyOf(s BalanceSnapshot) string {
	if currency := strings.TrimSpace(s.Currency); currency != "" {
		return currency
	}
	return "USD"
}
