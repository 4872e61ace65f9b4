package discovery

import (
	"github.com/mesh-gateway/mesh-go/discovery/internal/decimal"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// SpendBetween returns what was spent between two snapshots, before minus after, in their currency (SPEC.md,
// BalanceSnapshot: successive snapshots can be diffed). The difference is that of the decimals, not of the binary floats:
// 0.3 less 0.1 is 0.2.
//
// Two currencies are a [*ValueError], and so is any of the balances that rose, for that is a top-up or a gift: how much was
// spent besides cannot be told. A gift that expired cannot be told from spending. No currency means USD. It is safe for
// concurrent use.
func SpendBetween(before, after BalanceSnapshot) (float64, error) {
	if !strings.EqualFold(currencyOf(before), currencyOf(after)) {
		return 0, &ValueError{Field: "after", Value: showable(after.Currency), Reason: "is in another currency than before"}
	}
	var spent *big.Rat
	for _, part := range []struct {
		name          string
		before, after float64
	}{
		{"granted balance", before.GrantedBalance, after.GrantedBalance},
		{"topped-up balance", before.ToppedUpBalance, after.ToppedUpBalance},
		{"total balance", before.TotalBalance, after.TotalBalance},
	} {
		if !finite(part.before) || !finite(part.after) {
			return 0, &ValueError{Field: part.name, Reason: "is no number"}
		}
		spent = new(big.Rat).Sub(decimal.FromFloat(part.before), decimal.FromFloat(part.after))
		if spent.Sign() < 0 {
			return 0, &ValueError{Field: part.name, Value: strconv.FormatFloat(part.after, 'g', -1, 64), Reason: "is higher than before: the account was topped up"}
		}
	}
	f, _ := spent.Float64()
	if !finite(f) {
		return 0, &ValueError{Field: "total balance", Reason: "is out of range"}
	}
	return f, nil
}

func currencyOf(s BalanceSnapshot) string {
	if currency := strings.TrimSpace(s.Currency); currency != "" {
		return currency
	}
	return "USD"
}

func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }
