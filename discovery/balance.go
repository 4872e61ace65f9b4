package discovery

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"github.com/mesh-gateway/mesh-go/discovery/internal/decimal"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/gen/deepseek"
)

// DefaultBalanceTimeout bounds the request for a balance when nothing else is said (SPEC.md, Limits).
const DefaultBalanceTimeout = 10 * time.Second

const opBalance = "FetchDeepSeekBalance"

// BalanceOptions says whose balance is meant. The zero value takes the key from the environment.
type BalanceOptions struct {
	// APIKey is the key; "" means DEEPSEEK_API_KEY, else DEEPSEEK_API_KEY in the file that DEEPSEEK_LEGACY_ENV_PATH names.
	APIKey string `json:"-" xml:"-"`
	// Timeout bounds the request; 0 means [DefaultBalanceTimeout].
	Timeout time.Duration
}

// Format prints the options without the key.
func (o BalanceOptions) Format(f fmt.State, verb rune) {
	type plain BalanceOptions
	o.APIKey = hidden(o.APIKey)
	_, _ = fmt.Fprintf(f, fmt.FormatString(f, verb), plain(o))
}

// BalanceSnapshot is what was left on a DeepSeek account at one moment, in one currency (SPEC.md, BalanceSnapshot; WIRE.md
// section 4). There is no history to be had; the difference between two snapshots is [SpendBetween].
type BalanceSnapshot struct {
	// TotalBalance is all that is left. It can be negative.
	TotalBalance float64 `json:"total_balance"`
	// GrantedBalance is the part of it that was given; it can expire.
	GrantedBalance float64 `json:"granted_balance"`
	// ToppedUpBalance is the part of it that was paid.
	ToppedUpBalance float64 `json:"topped_up_balance"`
	// Currency is that of the amounts, USD or CNY; the provider's spelling.
	Currency string `json:"currency"`
	// IsAvailable says whether the provider takes calls at this balance; true where the provider does not say.
	IsAvailable bool `json:"is_available"`
	// FetchedAt is when the answer came, RFC 3339 in UTC.
	FetchedAt *string `json:"fetched_at"`
	// Raw is the whole answer as it came, with every currency.
	Raw json.RawMessage `json:"raw"`
}

// FetchDeepSeekBalance asks how much is left on a DeepSeek account (SPEC.md, fetch provider B balance; GET /user/balance,
// WIRE.md section 4). It takes the entry in US dollars; where there is none, the first one, under its own currency.
//
// The key is opts.APIKey, else DEEPSEEK_API_KEY, else the one in the file that DEEPSEEK_LEGACY_ENV_PATH names. The key can
// do all that its account can; it is read at each call, sent in a header and kept nowhere. The balance is no price list and
// no gauge: do not ask for it in a loop or while somebody waits for a chat.
//
// The result is nil, with a nil error and one [Failure], when there is no key, when the call fails, or when the answer has no
// entry or an amount that is no number. A negative timeout is a [*ValueError]. It is safe for concurrent use.
func (c *Client) FetchDeepSeekBalance(ctx context.Context, opts BalanceOptions) (*BalanceSnapshot, error) {
	timeout, err := timeoutOr(opts.Timeout, DefaultBalanceTimeout)
	if err != nil {
		return nil, err
	}
	key, err := c.deepSeekKey(ctx, opts.APIKey)
	r := newRequest(opBalance, ServiceDeepSeek, key, timeout)
	if err != nil {
		return nil, c.report(ctx, r.missingKey(err))
	}
	answer, failure := fetch[balanceAnswer](ctx, c, r, func(ctx context.Context) (*http.Response, error) {
		return c.apis.deepseek.GetBalance(ctx, bearer(key))
	})
	if failure != nil {
		return nil, c.report(ctx, failure)
	}
	now := time.Now().UTC().Format(time.RFC3339)
	answer.snapshot.FetchedAt = &now
	return &answer.snapshot, nil
}

// balanceAnswer is an answer that a snapshot can be made of.
type balanceAnswer struct{ snapshot BalanceSnapshot }

// UnmarshalJSON reads the answer and fails where there is no figure in it.
func (a *balanceAnswer) UnmarshalJSON(body []byte) error {
	var answer deepseek.Balance
	if err := answer.UnmarshalJSON(body); err != nil {
		return err
	}
	entry, err := balanceEntry(answer.BalanceInfos)
	if err != nil {
		return err
	}
	a.snapshot = BalanceSnapshot{Currency: entry.Currency, IsAvailable: answer.IsAvailable, Raw: bytes.Clone(body)}
	for _, field := range []struct {
		to   *float64
		from json.Number
	}{
		{&a.snapshot.TotalBalance, entry.TotalBalance},
		{&a.snapshot.GrantedBalance, entry.GrantedBalance},
		{&a.snapshot.ToppedUpBalance, entry.ToppedUpBalance},
	} {
		var exact decimal.Amount
		if err := exact.Parse(field.from); err != nil {
			return err
		}
		*field.to = exact.Float64()
	}
	return nil
}

var (
	errNoBalance  = errors.New("the answer has no balance in any currency")
	errNoCurrency = errors.New("the balance has no currency")
)

// balanceEntry returns the entry in US dollars, else the first.
func balanceEntry(entries []deepseek.BalanceInfo) (deepseek.BalanceInfo, error) {
	if len(entries) == 0 {
		return deepseek.BalanceInfo{}, errNoBalance
	}
	entry := entries[max(0, slices.IndexFunc(entries, func(e deepseek.BalanceInfo) bool { return strings.EqualFold(e.Currency, "USD") }))]
	if strings.TrimSpace(entry.Currency) == "" {
		return entry, errNoCurrency
	}
	return entry, nil
}
