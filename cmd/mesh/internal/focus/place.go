package focus

import (
	"cmp"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// place is the platform that bills a call, and what selects its price there. It is zero for a provider's own API.
type place struct {
	platform        prices.Platform
	region, profile string
}

func placeOf(r calls.Record) place {
	return place{prices.Platform(r.Platform), r.Region, r.Profile}
}

func (p place) compare(other place) int {
	return cmp.Or(cmp.Compare(p.platform, other.platform), cmp.Compare(p.region, other.region), cmp.Compare(p.profile, other.profile))
}

// sku is the start of the SKU: the models of a platform are other SKUs than those of their developer.
func (p place) sku() string {
	if p.platform == "" {
		return ""
	}
	return string(p.platform) + "/"
}

// price is the end of the id of a price. Bedrock's profile selects the price there, and the region elsewhere.
func (p place) price() string {
	if by := cmp.Or(p.profile, p.region); by != "" {
		return "/" + by
	}
	return ""
}

// fill sets the columns that name who bills the call. The publisher is the developer of the model, if it is known. What the provider
// behind OpenRouter bills to the owner of a key is on another invoice.
func (p place) fill(r row, provider models.Provider) {
	if p.platform == "" {
		return
	}
	n := namesOf(p.platform)
	r["InvoiceIssuerName"], r["ProviderName"], r["ServiceName"] = n.company, n.company, n.service
	r["PublisherName"] = cmp.Or(developer(provider), n.company)
	if p.platform != prices.PlatformAzure { // there it is the kind of the deployment
		r["RegionId"] = p.region
	}
}
