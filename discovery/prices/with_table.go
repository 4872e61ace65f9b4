package prices

import (
	"errors"
	"fmt"
	"slices"

	"github.com/mesh-gateway/mesh-go/discovery/internal/pricelist"
)

// ErrOldTable matches the error of a table that does not replace the one in a list: it is older, or has prices for less than nine
// tenths of the models of that one. Models are never removed from the table, so that one without many of them was cut.
var ErrOldTable = errors.New("prices: the table is older than the one in use")

// Table returns the text of the table in the list, as CSV, and its tag: the ETag of the response that it came from, "" for the
// built-in table. An empty list has no table.
func (l *List) Table() (csv, tag string) {
	if l.table == nil {
		return "", ""
	}
	return l.table.Table, l.etag
}

// WithTable returns the list with a newer version of the table of this project, which
// [github.com/mesh-gateway/mesh-go/discovery.Client.UpdatePrices] requests. Rows of [List.With] and of [List.WithLive] stay and precede
// it. The Source of its rows ends with the date of the table. l does not change. tag is returned by Table.
//
// A table that cannot be read, and one verified later than tomorrow in UTC, is a [*ValueError]; one that is too old is
// [ErrOldTable].
func (l *List) WithTable(csv, tag string) (*List, error) {
	list := *l
	list.etag = tag
	if l.table != nil && l.table.Updated && l.table.Table == csv {
		return &list, nil
	}
	table, err := pricelist.Update(csv)
	if err != nil {
		return nil, invalid("csv", "", "is damaged: "+err.Error())
	}
	switch {
	case table.AsOf().Before(l.table.Unconfirmed().AsOf()):
		return nil, ErrOldTable
	case table.Lacks(l.table):
		return nil, fmt.Errorf("%w, or cut: it has prices for less than nine tenths of the models", ErrOldTable)
	}
	list.table = table
	if l.own.list != nil {
		list.own.list = list.namedRows(slices.Clone(l.own.list.Rows()))
	}
	return &list, nil
}

// WithConfirmed returns the list with the days on which public price feeds last stated the rows of its table, as the file confirmed.csv
// beside the table has them; [github.com/mesh-gateway/mesh-go/discovery.Client.ConfirmPrices] requests it. The VerifiedAt of a row
// becomes that day if it is later; the days of an earlier WithConfirmed are replaced. l does not change.
//
// A text that cannot be read, a row that the table does not have, a wrong day, and a day later than tomorrow in UTC are a
// [*ValueError].
func (l *List) WithConfirmed(csv string) (*List, error) {
	table, err := l.table.Confirm(csv, pricelist.Tomorrow())
	if err != nil {
		return nil, invalid("csv", "", "is damaged: "+err.Error())
	}
	list := *l
	list.table = table
	return &list, nil
}
