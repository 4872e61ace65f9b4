package pricelist

import (
	"errors"
	"slices"
	"strconv"
	"time"
)

// confirmedHeader is the line with the names of the columns of confirmed.csv.
const confirmedHeader = "provider,model_id,above,valid_from,mode,modality,confirmed_at"

// rowKey identifies a row of a table.
type rowKey struct {
	provider, model string
	minPrompt       int64
	from            time.Time
	kind            Kind
}

// Confirm returns the list with the days of a text in the format of confirmed.csv, on which the price feeds last stated the rows. The
// VerifiedAt of a row becomes that day if it is later. The days of an earlier Confirm are replaced. A row that the list does not have, a
// wrong day and one after the latest are errors, which contain nothing of the text. The zero time accepts any day.
func (l *List) Confirm(text string, latest time.Time) (*List, error) {
	if l == nil {
		return nil, errors.New("there is no table")
	}
	l = l.Unconfirmed()
	rows := slices.Clone(l.rows)
	places := make(map[rowKey]int, len(rows))
	for i, r := range rows {
		places[rowKey{r.Provider, r.Model, r.MinPrompt, r.From, r.Kind}] = i
	}
	err := readLines(text, confirmedHeader, func(cells []string) string {
		above, err1 := strconv.ParseInt(cells[2], 10, 64)
		from, err2 := ParseTime(cells[3])
		place, known := places[rowKey{cells[0], cells[1], minPrompt(above), from, Kind{cells[4], cells[5]}}]
		day, err3 := ParseTime(cells[6])
		switch {
		case cells[0] != "" && companies[cells[0]] == "": // a row that Read left out
			return ""
		case err1 != nil || above < 0 || err2 != nil || !known:
			return "the table has no such row"
		case err3 != nil:
			return "the day is not valid"
		case !latest.IsZero() && day.After(latest):
			return "the day is in the future"
		}
		rows[place].VerifiedAt = max(rows[place].VerifiedAt, cells[6])
		return ""
	})
	if err != nil {
		return nil, err
	}
	confirmed := New(rows)
	confirmed.Table, confirmed.Updated, confirmed.Confirmed, confirmed.unconfirmed = l.Table, l.Updated, text, l
	return confirmed, nil
}

// Unconfirmed returns the list before Confirm.
func (l *List) Unconfirmed() *List {
	if l == nil || l.unconfirmed == nil {
		return l
	}
	return l.unconfirmed
}
