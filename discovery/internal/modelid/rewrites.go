package modelid

import "slices"

// Listings differ in whether they write a version with a dot or a hyphen.
var (
	undotted = containing(".", replacing(`(\d)\.(\d)`, "${1}-${2}"))
	dotted   = replacing(`^(\D*-v?\d{1,2})-(\d{1,2})(-.*)?$`, "${1}.${2}${3}")
)

// Rewrites returns further names that a listing may have for the model, each one rewrite away from a spelling of id or from its
// normalized form. They are guesses: try them last, in this order, and accept only a listed name.
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
