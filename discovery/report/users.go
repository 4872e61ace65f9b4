package report

import (
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/internal/decimal"
)

// Users is what the users cost by day: the label "user".
type Users struct {
	// Days is the number of days on which a user made a call, added up over all users.
	Days         int `json:"days"`
	PreviousDays int `json:"previous_days"`
	// PerDayUSD is the known cost of labelled calls divided by Days, rounded half to even to 12 places.
	PerDayUSD         string `json:"per_day_usd"`
	PreviousPerDayUSD string `json:"previous_per_day_usd"`
}

// maxUserDays is the number of pairs of user and day beyond which they are not counted.
const maxUserDays = 100_000

type userDay struct {
	user string
	day  int64
}

// userDays is what labelled calls cost, and on which days each user made one.
type userDays struct {
	usd  decimal.Sum
	seen map[userDay]struct{}
	// many reports whether there are more pairs than are kept.
	many bool
}

func (u *userDays) add(pair userDay, c *call) {
	if c.known {
		u.usd.Add(c.usd)
	}
	u.note(pair)
}

func (u *userDays) note(pair userDay) {
	if _, known := u.seen[pair]; known || u.many {
		return
	}
	if len(u.seen) >= maxUserDays {
		u.many, u.seen = true, nil
		return
	}
	pair.user = strings.Clone(cut(pair.user))
	u.seen[pair] = struct{}{}
}

func (u *userDays) merge(o *userDays) {
	u.usd.Merge(&o.usd)
	if o.many {
		u.many, u.seen = true, nil
	}
	for pair := range o.seen {
		u.note(pair)
	}
}

// users returns what a user cost a day; nil without users, and with too many.
func users(current, previous *userDays) *Users {
	if current.many || previous.many || len(current.seen) == 0 {
		return nil
	}
	return &Users{
		Days: len(current.seen), PerDayUSD: quotient(current.usd.Total(), len(current.seen)),
		PreviousDays: len(previous.seen), PreviousPerDayUSD: quotient(previous.usd.Total(), len(previous.seen)),
	}
}
