package modelid

import "slices"

// Versions are written with a dot or with a hyphen, and which one differs from listing to listing.
var (
	undotted = replacing(`(\d)\.(\d)`, "${1}-${2}")
	dotted   = replacing(`^(\D*-v?\d{1,2})-(\d{1,2})(-.*)?$`, "${1}.${2}${3}")
)

// rewrites lists what else a listing may call the model. Each entry is one rewrite away from a spelling of id or from its
// normalized form, never two. They are guesses: try them after all of those, in this order, and take none that is not listed
// (WIRE.md section 11, rule of thumb).
func (d *Dialect) Rewrites(id string) []string {
	if d == nil {
		return nil
	}
	tried := append(d.Spellings(id), d.Normalize(id))
	var guesses []string
	for _, rule := range d.guesses {
		for _, name := range tried {
			if guess := rule(name); !slices.Contains(tried, guess) && !slices.Contains(guesses, guess) {
				guesses = append(guesses, guess)
			}
		}
	}
	return guesses
}
