package prices

import (
	"encoding/csv"
	"fmt"
	"io"
	"reflect"
)

// pricesHeader is the first line of WriteCSV: the JSON names of the fields of [Row]. A column keeps its name and place, and a new one is
// appended, so the order of the fields is fixed.
var pricesHeader = jsonNames()

func jsonNames() (names []string) {
	for _, field := range reflect.VisibleFields(reflect.TypeFor[Row]()) {
		names = append(names, field.Tag.Get("json"))
	}
	return names
}

// WriteCSV writes the rows of the list, in the order of [List.Rows], as CSV for a database; examples/warehouse joins
// them with calls. The first line has the names of the columns, which are the JSON names of [Row]. Later versions add columns at the end only. A price is a decimal without an exponent. An
// unknown price and an open date are empty, never 0. An error of w is returned.
func (l *List) WriteCSV(w io.Writer) error {
	if w == nil {
		return invalid("w", "", "must not be nil")
	}
	out := csv.NewWriter(w)
	_ = out.Write(pricesHeader) // an error stays, and Error returns it
	for _, row := range l.Rows("") {
		_ = out.Write(row.cells())
	}
	out.Flush()
	return out.Error()
}

// cells returns the row in the order of pricesHeader.
func (r *Row) cells() []string {
	cells, fields := make([]string, len(pricesHeader)), reflect.ValueOf(r).Elem()
	for i := range cells {
		cells[i] = fmt.Sprint(fields.Field(i))
	}
	return cells
}
