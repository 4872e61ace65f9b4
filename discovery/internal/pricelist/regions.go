package pricelist

import (
	"slices"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/tables"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

// Place is where a call was made: a platform that has the models of others, the region of its host or path, and the profile, which is
// the prefix of an id of Bedrock. The zero value is the developer's own API.
type Place struct{ Platform, Region, Profile string }

// region is the factor of a place for some models of a provider.
type region struct {
	provider, platform string
	regions, profiles  []string // patterns
	factor             Price    // nil is not known
	models             []string
	from               time.Time
}

func readRegions(text string) (list []region) {
	for cells := range tables.Rows(text) {
		if singleSource(cells[2]) {
			continue
		}
		from, _ := ParseTime(cells[6])
		list = append(list, region{
			provider: cells[0], platform: cells[1], factor: ParsePrice(cells[2]), models: strings.Split(cells[3], ";"),
			regions: strings.Split(cells[4], ";"), profiles: strings.Split(cells[5], ";"), from: from,
		})
	}
	return list
}

// region returns the factor of the place of the call, or of the one that its id names, for a model of the list. The error is the one of
// a platform or a region whose prices are not known. The factor beside it is 1 for a region of a platform with other known prices, none
// of which is cheaper, and else 0.
func (c *Call) region(model string) (decimal.Decimal, error) {
	place, missing := c.Place, "platform"
	if place.Platform == "" {
		if c.Model == model {
			return whole, nil
		}
		if place, missing = placeOf(c.Provider, c.Model), "region"; place.Platform == "" {
			return whole, nil
		}
	}
	var least decimal.Decimal
	for _, r := range c.Terms.regions {
		if r.provider != c.Provider || r.platform != place.Platform {
			continue
		}
		missing, least = "region", whole
		if c.At.Before(r.from) || !anyLike(place.Region, r.regions) || !anyLike(place.Profile, r.profiles) || longestMatch(r.models, model) == 0 {
			continue
		}
		if r.factor == nil {
			break
		}
		return *r.factor, nil
	}
	return least, &UnknownError{What: missing}
}

// anyLike reports whether a name matches one of the patterns. "-" is no name, and * any text.
func anyLike(name string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		return pattern == name || (pattern == "-" && name == "") || (strings.Contains(pattern, "*") && like(name, strings.Split(pattern, "*")))
	})
}

// like reports whether a name begins with the first text, ends with the last, and has the others in between.
func like(name string, texts []string) bool {
	first, last := texts[0], texts[len(texts)-1]
	rest, ok := strings.CutPrefix(name, first)
	for _, text := range texts[1 : len(texts)-1] {
		i := strings.Index(rest, text)
		if !ok || i < 0 {
			return false
		}
		rest = rest[i+len(text):]
	}
	return ok && strings.HasSuffix(rest, last)
}

// unknownPlace matches no row.
const unknownPlace = "unknown"

// placeOf returns the place that the id of a call without a platform names; the zero Place if it names none.
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

// bedrockPlace returns the profile of an id such as us.anthropic.claude-opus-5. One that does not begin so is not known.
func bedrockPlace(id string) Place {
	profile, _, _ := strings.Cut(id, "anthropic.")
	profile, prefixed := strings.CutSuffix(profile, ".")
	if profile != "" && (!prefixed || strings.Contains(profile, "/")) {
		profile = unknownPlace
	}
	return Place{Platform: "bedrock", Profile: profile}
}
