package pricelist

import (
	"path"
	"slices"
	"strings"

	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

// Place is where a call was made: a platform that serves other developers' models, the
// region in its host or path, and the profile, which prefixes a Bedrock id. The zero
// value is the developer's own API.
type Place struct{ Platform, Region, Profile string }

// region is a place's factor for some models.
type region struct {
	Scope

	platform          string
	regions, profiles []string // patterns
	factor            Price    // nil is unknown
}

func readRegion(cells []string) region {
	return region{
		Scope: newScope(cells[0], cells[3], cells[6], ""), platform: cells[1], factor: ParsePrice(cells[2]),
		regions: strings.Split(cells[4], ";"), profiles: strings.Split(cells[5], ";"),
	}
}

// region returns the factor for the call's place, or for the place its id names. model
// is the listed id. The error says that the platform's or region's prices are unknown.
//
// If there is an error, the factor gives a lower bound: 1 if the platform has other known
// prices, none of which is cheaper, or else 0.
func (c *Call) region(model string) (decimal.Decimal, error) {
	place, missing := c.Place, "platform"
	if place.Platform == "" && c.Model == model {
		return whole, nil
	}
	named := placeOf(c.Provider, c.Model)
	if place.Platform == "" {
		if place, missing = named, "region"; place.Platform == "" {
			return whole, nil
		}
	}
	if place.Profile == "" && named.Platform == place.Platform {
		place.Profile = named.Profile
	}
	var least decimal.Decimal
	for _, r := range c.Terms.regions {
		if r.Provider != c.Provider || r.platform != place.Platform {
			continue
		}
		missing, least = "region", whole
		if !r.validAt(c.At) || !anyLike(place.Region, r.regions) || !anyLike(place.Profile, r.profiles) || r.match(model) == 0 {
			continue
		}
		if r.factor == nil {
			break
		}
		return *r.factor, nil
	}
	return least, &UnknownError{What: missing}
}

// anyLike reports whether name, which has no slash, matches a pattern. "-" matches an
// empty name, and * any text.
func anyLike(name string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		matches, _ := path.Match(pattern, name)
		return matches || pattern == "-" && name == ""
	})
}

// unknownPlace is a profile that no row matches.
const unknownPlace = "unknown"

// placeOf returns the place that an id names, or the zero Place. It's for calls that
// don't state a platform.
func placeOf(provider, id string) Place {
	id = strings.ToLower(strings.TrimSpace(id))
	if platform, _, ok := strings.Cut(id, "/"); ok {
		for _, name := range [...]string{"vertex", "bedrock", "azure", "oci"} {
			if strings.HasPrefix(platform, name) {
				return Place{Platform: name, Profile: unknownPlace}
			}
		}
	}
	switch _, rest, located := strings.Cut(id, "/locations/"); {
	case provider == "anthropic" && strings.Contains(id, "anthropic."):
		return bedrockPlace(id)
	case provider != "anthropic" && provider != "gemini":
		return Place{}
	case located:
		location, _, _ := strings.Cut(rest, "/")
		return Place{Platform: "vertex", Region: location}
	case provider == "anthropic" && (strings.Contains(id, "@") || strings.Contains(id, "publishers/")):
		return Place{Platform: "vertex"}
	}
	return Place{}
}

// bedrockPlace returns the profile in an id such as us.anthropic.claude-opus-5. Any
// other prefix is an unknown profile.
func bedrockPlace(id string) Place {
	profile, _, _ := strings.Cut(id, "anthropic.")
	profile, prefixed := strings.CutSuffix(profile, ".")
	if profile != "" && (!prefixed || strings.Contains(profile, "/")) {
		profile = unknownPlace
	}
	return Place{Platform: "bedrock", Profile: profile}
}
