package modelid

import (
	"slices"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/lazy"
)

// buildDate matches the dates of builds: 2024-08-06 and 20240806, 06-2025 and 06-05, and 0605.
var buildDate = lazy.Regexp(`[-@](?:(` + year + `)-?(\d\d)-?(\d\d)|(\d\d)-(` + year + `)|(\d\d)-?(\d\d))(?:$|[-@:\[])`)

// pastBuild reports whether every date in an id is a date of the calendar and not after now. A date without a year only has
// to be one of the calendar.
func pastBuild(id string, now time.Time) bool {
	base, _ := FineTuneBase(id) // what follows the base of a fine-tune is chosen by its owner
	for _, m := range buildDate().FindAllStringSubmatch(base, -1) {
		text := "2024-" + m[6] + "-" + m[7] // a leap year
		switch {
		case m[1] != "":
			text = m[1] + "-" + m[2] + "-" + m[3]
		case m[4] != "":
			text = m[5] + "-" + m[4] + "-01"
		}
		date, err := time.Parse(time.DateOnly, text)
		if err != nil || date.After(now) {
			return false
		}
	}
	return true
}

// Candidates returns the names under which a listing may have the model that id names, best first: other spellings of the same
// build, then the model without its build and the rewrites, unless the build cannot exist at the time now.
func (d *Dialect) Candidates(id string, now time.Time) []string {
	names := d.Spellings(id)
	normalized := d.Normalize(id)
	if slices.Contains(names, normalized) || pastBuild(Last(names), now) {
		names = append(append(names, normalized), d.Rewrites(id)...)
	}
	return names
}
