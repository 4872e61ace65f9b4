package report

import (
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/internal/decimal"
)

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
