package discovery

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/decimal"
	"github.com/mesh-gateway/mesh-go/discovery/internal/pricelist"
	"github.com/mesh-gateway/mesh-go/discovery/internal/usage"
)

const opCostOf = "CostOf"

// CostQuery describes a call whose cost [Client.CostOf] computes.
type CostQuery struct {
	// Provider is the provider that billed the call. The prices of other platforms that have its models are not known; they need
	// rows of [WithPrices].
	Provider Provider
	// Model is the id of the model, preferably as it is in the response.
	Model string
	// Usage is what the call used; see [ParseUsage].
	Usage Usage
	// At is the time of the call; the zero time means now.
	At time.Time
	// Mode replaces Usage.Mode unless it is "": "batch", "flex", "priority", "fast", or a region such as "us". Use "standard"
	// if Usage.Mode is wrong for a standard call.
	Mode string
}

// CallCost is the cost of one call.
type CallCost struct {
	Provider Provider `json:"provider"`
	// Model is the id of the query.
	Model string `json:"model"`
	// USD is the float64 that is nearest to Exact.
	USD float64 `json:"usd"`
	// Exact is the cost in US dollars as a plain decimal, not rounded.
	Exact string `json:"exact"`
	// Lines has one line for each kind of token that was used. Their sum is the cost. The slice is never nil.
	Lines []CostLine `json:"lines"`
	// Source is the source of the prices: the Source of the row of [Client.Prices], or "charged by the provider".
	Source string `json:"source"`
	// VerifiedAt is when Source was read, as a date or an RFC 3339 time; nil if unknown, or if the provider stated the charge.
	VerifiedAt *string `json:"verified_at"`
}

// MarshalJSON writes empty lines as [], never null.
func (cost CallCost) MarshalJSON() ([]byte, error) {
	type plain CallCost
	if cost.Lines == nil {
		cost.Lines = []CostLine{}
	}
	return json.Marshal(plain(cost))
}

// CostLine is the cost of one kind of token.
type CostLine struct {
	// What is "input", "tool_input", "cache_read", "cache_write_5m", "cache_write_1h" or "output". It is "charged" in the only
	// line of a cost that the provider stated itself.
	What   string `json:"what"`
	Tokens int64  `json:"tokens"`
	// USDPerMTok is the price per million tokens, including factors such as that of a batch. It is "" if What is "charged".
	USDPerMTok string `json:"usd_per_mtok"`
	USD        string `json:"usd"`
}

// sourceCharged is the Source of a cost that the provider stated itself.
const sourceCharged = "charged by the provider"

// CostOf returns the exact cost of a call, at the prices of its day.
//
// If the provider stated its charge (Usage.ChargedUSD), that is the cost. Otherwise one row of [Client.Prices] prices every
// token: the UTC day of the call selects its period, and the length of the whole prompt its tier. A mode such as batch
// multiplies the prices by a factor, if one is documented for the model. DeepSeek's prices are halved outside its peak hours;
// Chinese public holidays, which are off-peak too, are not recognized. Rows of [WithPrices] are used unchanged.
//
// The cost covers tokens only. Searches, other tools, cache storage and free allowances are not included; docs/providers.md has
// the list.
//
// If a price is not known, the result is nil and a [Failure] with [ReasonPartial] names what is missing: the model, the period,
// the tier, the cache price, or the mode. If a live price list cannot be read, that is a Failure too, and the built-in table is
// used. An unknown provider, an empty model, a count that is negative or above 2^53, and a charge that is not a decimal are a
// [*ValueError].
func (c *Client) CostOf(ctx context.Context, query CostQuery) (*CallCost, error) {
	p, err := query.check()
	if err != nil {
		return nil, err
	}
	cost := &CallCost{Provider: p, Model: query.Model}
	if query.Usage.ChargedUSD != "" {
		if err := cost.charge(&query.Usage); err != nil {
			return nil, err
		}
		return cost, nil
	}
	call := pricelist.Call{
		Provider: string(p), Model: query.Model, Mode: usage.Mode(query.Mode, query.Usage.Mode), At: query.At, Usage: usage.Usage(query.Usage),
	}
	if call.At.IsZero() {
		call.At = time.Now()
	}
	charge, live, err := c.chargeOf(ctx, &call)
	if err != nil {
		return nil, c.report(ctx, unknownCost(opCostOf, p, query.Model, err))
	}
	cost.fill(&call, &charge)
	return cost, live
}

func (q *CostQuery) check() (Provider, error) {
	p, err := checkModel(q.Provider, q.Model)
	if err != nil {
		return "", err
	}
	return p, q.Usage.check()
}

// charge sets the cost to what the provider charged.
func (cost *CallCost) charge(u *Usage) error {
	charged, ok := decimal.ParseMoney(u.ChargedUSD)
	if !ok {
		return &ValueError{Field: "usage charged USD", Reason: "is not a decimal such as 0.0345"}
	}
	cost.Exact, cost.USD, cost.Source = charged.String(), charged.Float64(), sourceCharged
	cost.Lines = []CostLine{{What: "charged", Tokens: u.sum(), USD: cost.Exact}}
	return nil
}

// fill computes the cost of the parts of a charge. All texts are parts of one string, to save allocations.
func (cost *CallCost) fill(call *pricelist.Call, charge *pricelist.Charge) {
	parts, used := call.Parts(charge)
	var (
		buffer [256]byte
		text   = buffer[:0]
		ends   [2 * len(parts)]int
		total  decimal.Money
	)
	cost.Lines = make([]CostLine, used)
	for i := range cost.Lines {
		part := &parts[i]
		usd := part.Price.Cost(part.Tokens)
		total.Add(usd)
		text = part.Price.Append(text)
		ends[2*i] = len(text)
		text = usd.Append(text)
		ends[2*i+1] = len(text)
		cost.Lines[i] = CostLine{What: part.What, Tokens: part.Tokens}
	}
	text = total.Append(text)
	all, begin := string(text), 0
	for i := range cost.Lines {
		line := &cost.Lines[i]
		line.USDPerMTok, line.USD = all[begin:ends[2*i]], all[ends[2*i]:ends[2*i+1]]
		begin = ends[2*i+1]
	}
	cost.Exact = all[begin:]
	cost.USD, _ = strconv.ParseFloat(cost.Exact, 64)
	cost.Source, cost.VerifiedAt = charge.Row.Source, nonEmpty(charge.Row.VerifiedAt)
}

// chargeOf returns the charge of a call, by the caller's own rows, then by live ones, then by the built-in table. live is the
// error of a live price list that could not be read, for a strict client. err names what is not known.
func (c *Client) chargeOf(ctx context.Context, call *pricelist.Call) (charge pricelist.Charge, live, err error) {
	p := Provider(call.Provider)
	own, listed := c.rows(p, call.Model)
	if charge, found, err := call.ByOwn(own); found || err != nil {
		return charge, nil, err
	}
	rows, live := c.liveRows(ctx, opCostOf, p, call.Model, call.At, listed)
	if row, _ := pricelist.InForce(rows, call.At, call.Usage.Prompt()); row != nil && row.Priced() {
		listed = rows
	}
	if listed == nil {
		return charge, live, errNotListed
	}
	charge, err = call.ByList(listed)
	return charge, live, err
}
