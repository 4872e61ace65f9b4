package prices

import (
	"slices"

	"github.com/mesh-gateway/mesh-go/discovery/internal/modelid"
	"github.com/mesh-gateway/mesh-go/discovery/internal/pricelist"
	"github.com/mesh-gateway/mesh-go/discovery/internal/ptr"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// Fee is what one use of a tool costs besides its tokens. It is a list price: the free allowance that an account has for a day
// or a month is not known to a single call.
type Fee struct {
	Provider models.Provider `json:"provider"`
	// What is the tool, as in [Usage].Requests.
	What string `json:"what"`
	// Unit is what is billed: each "request", "query", "source" or "container", or the "prompt", at most once for each call.
	Unit string `json:"unit"`
	// Models are the ids that the fee is for, or beginnings of ids that end in "*". Of several fees for a model, that with the
	// longest matching pattern is used.
	Models []string `json:"models"`
	// USDPerRequest is the fee as a decimal. "0" is free, and "" is not known.
	USDPerRequest USD `json:"usd_per_request"`
	// ValidFrom is the beginning of the fee and ValidUntil the end, which is exclusive, as in [Row].
	ValidFrom  *string `json:"valid_from"`
	ValidUntil *string `json:"valid_until"`
	// Source names who lists the fee.
	Source string `json:"source"`
	// VerifiedAt is the date on which Source was read; nil if unknown.
	VerifiedAt *string `json:"verified_at"`
}

// Fees returns the fees of a provider for uses of its tools, or the fees of all providers for "". A use of any other tool has no
// known cost. An empty list of prices has no fees.
func (l *List) Fees(p models.Provider) []Fee {
	p = modelid.Canonical(p)
	fees := []Fee{}
	for _, f := range l.fees() {
		if p == "" || p == models.Provider(f.Provider) {
			fees = append(fees, feeOf(&f))
		}
	}
	return fees
}

func (l *List) fees() []pricelist.Fee {
	if l.table == nil {
		return nil
	}
	return pricelist.BuiltinFees()
}

func feeOf(f *pricelist.Fee) Fee {
	fee := Fee{
		Provider: models.Provider(f.Provider), What: f.What, Unit: f.Unit, Models: slices.Clone(f.Models), Source: f.Source,
		ValidFrom: ptr.Of(pricelist.FormatTime(f.From)), ValidUntil: ptr.Of(pricelist.FormatTime(f.Until)), VerifiedAt: ptr.Of(f.VerifiedAt),
	}
	if f.USD != nil {
		fee.USDPerRequest = USD(f.USD.String())
	}
	return fee
}
