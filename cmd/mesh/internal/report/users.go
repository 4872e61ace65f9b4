package report

import (
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

// Users is what the users cost by day: the label "user".
type Users struct {
	// Days is the number of days on which a user made a call, added up over all users.
	Days         int `json:"days"`
	PreviousDays int `json:"previous_days"`
	// PerDayUSD is the known cost of labelled calls divided by Days, rounded half to even to 12 places.
	PerDayUSD         prices.USD `json:"per_day_usd"`
	PreviousPerDayUSD prices.USD `json:"previous_per_day_usd"`
}

// maxUserDays is the number of pairs of user and day beyond which they are not counted.
const maxUserDays = 100_000

type userDay struct {
	user string
	day  int64
}

// userDays is what labelled calls cost, and on which days each user made one: up to a pair more than are counted.
type userDays struct {
	usd  decimal.Sum
	seen map[userDay]struct{}
}

func (u *userDays) add(pair userDay, c *call) {
	if c.known {
		u.usd.Add(c.usd)
	}
	if _, known := u.seen[pair]; !known && len(u.seen) <= maxUserDays {
		pair.user = strings.Clone(cut(pair.user))
		u.seen[pair] = struct{}{}
	}
}

// users returns what a user cost a day; nil without users, and with too many.
func users(current, previous *userDays) *Users {
	now, before := len(current.seen), len(previous.seen)
	if now == 0 || max(now, before) > maxUserDays {
		return nil
	}
	return &Users{
		Days: now, PerDayUSD: quotient(current.usd.Total(), now), PreviousDays: before, PreviousPerDayUSD: quotient(previous.usd.Total(), before),
	}
}
