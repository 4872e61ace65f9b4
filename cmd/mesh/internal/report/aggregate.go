package report

import (
	"slices"

	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// The labels that are not reported as such: the first is the label of Top, the others are different for nearly every call.
const (
	labelThread   = "thread"
	labelThreadID = "thread_id"
	labelMessage  = "message"
	labelUser     = "user"
)

// setting is what all aggregates of a report share. It is only read, except for the sums of budgets.
type setting struct {
	Options
	window
	retirement models.Registry
	budgets    []*budgetSum
}

// aggregate adds up the calls of a period.
type aggregate struct {
	*setting
	// details reports whether everything is added up, or only what the period before needs.
	details bool
	total   tally
	tries   attempts
	status  map[int]int
	days    map[int64]*tally
	models  map[ModelID]*model
	// others has the models beyond maxModels.
	others *model
	*names
	reasons map[reasonKey]*reasonSum
	top     topCalls
	costs   costs
}

func newAggregate(s *setting, details bool) *aggregate {
	return &aggregate{
		setting: s, details: details, names: newNames(), status: map[int]int{}, days: map[int64]*tally{}, models: map[ModelID]*model{}, others: newModel(),
		reasons: map[reasonKey]*reasonSum{}, costs: costs{},
	}
}

func (a *aggregate) add(c *call) {
	a.total.add(c)
	a.tries.add(c)
	m := a.model(c.id)
	m.add(c)
	a.names.add(c, a.setting)
	if !c.known {
		a.addReason(c)
	}
	if !a.details {
		return
	}
	made(a.days, c.day).add(c)
	m.addDetails(c, a)
	if c.Failed() {
		a.addStatus(c.Status)
	}
	if c.known {
		a.top.add(c)
	}
	if c.counted {
		a.costs.add(c.usd)
	}
}

// maxStatuses bounds the number of different statuses; a file can have any number.
const maxStatuses = 1000

func (a *aggregate) addStatus(status int) {
	if _, known := a.status[status]; !known && len(a.status) >= maxStatuses {
		status = -1
	}
	a.status[status]++
}

// made returns the value of a key, which is made if there is none.
func made[K comparable, V any](all map[K]*V, key K) *V {
	value := all[key]
	if value == nil {
		value = new(V)
		all[key] = value
	}
	return value
}

// model returns the sums of a model, or of the others.
func (a *aggregate) model(id ModelID) *model {
	m := a.models[id]
	switch {
	case m != nil:
		return m
	case len(a.models) >= maxModels:
		return a.others
	}
	m = newModel()
	a.models[id] = m
	if a.details {
		m.retirement = a.retirement.CheckOn(id.Platform, id.Provider, id.Model, a.now)
		m.retires = retires(&m.retirement, a.today)
	}
	return m
}

// wanted reports whether a label may be reported.
func (s *setting) wanted(name string) bool {
	if s.Labels == nil {
		return name != "" && name != labelThread && name != labelThreadID && name != labelMessage
	}
	return slices.Contains(s.Labels, name)
}

// model adds up the calls of a model.
type model struct {
	tally
	tries   attempts
	days    history
	caching caching
	// retirement is the status of the model, which is reported if retires is set, with what its replacement would cost.
	retirement models.RetirementStatus
	retires    bool
	same       replacing
	// users are the values of labels that use a retiring model.
	users map[user]int
}

func newModel() *model { return &model{days: history{}, users: map[user]int{}} }

func (m *model) addDetails(c *call, a *aggregate) {
	m.tries.add(c)
	if c.known {
		m.days.add(c.day, c.usd)
	}
	if c.cached+c.written > 0 {
		m.caching.add(c, a.Prices)
	}
	if m.retires {
		m.addRetiring(c, a)
	}
}

func (m *model) addRetiring(c *call, a *aggregate) {
	if m.retirement.Replacement != "" {
		m.same.add(c, m.retirement.Replacement, a.now, a.Prices)
	}
	for name, value := range c.Labels {
		if a.wanted(name) && value != "" {
			m.addUser(user{name, cut(value)})
		}
	}
}

// user is a value of a label.
type user struct{ label, value string }

// maxUsers bounds the values that are kept of a retiring model.
const maxUsers = 1000

func (m *model) addUser(u user) {
	if _, known := m.users[u]; known || len(m.users) < maxUsers {
		m.users[u]++
	}
}
