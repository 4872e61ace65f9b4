package prices

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/models"
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

// ReadCSV reads rows for [List.With]. The first line names the columns, which are the columns of [List.WriteCSV] in any order; provider and
// model_hint must be there, and the others may be left out. Lines that begin with # are skipped. Each row is checked as With does.
//
// The error is a [*ValueError] whose Reason names the line and the column, as in "line 3, column input_per_mtok". A text with more than
// 32 MiB is one, too. An error of r is returned, wrapped.
func ReadCSV(r io.Reader) ([]Row, error) {
	if r == nil {
		return nil, invalid("r", "", "must not be nil")
	}
	limited := &io.LimitedReader{R: r, N: maxPricesFile + 1}
	in := csv.NewReader(limited)
	in.Comment, in.ReuseRecord = '#', true
	columns, err := readColumns(in)
	if err != nil {
		return nil, err
	}
	rows := []Row{}
	for {
		cells, err := in.Read()
		switch {
		case limited.N == 0:
			return nil, invalid("r", "", errPricesFileTooBig.Error())
		case errors.Is(err, io.EOF):
			return rows, nil
		case err != nil:
			return nil, csvError(err)
		}
		line, _ := in.FieldPos(0)
		row, err := readCells(columns, cells, line)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
}

// readColumns reads the first line.
func readColumns(in *csv.Reader) ([]string, error) {
	names, err := in.Read()
	if errors.Is(err, io.EOF) {
		return nil, wrongAt("line 1", "", "must have the names of the columns")
	}
	if err != nil {
		return nil, csvError(err)
	}
	line, _ := in.FieldPos(0)
	columns := slices.Clone(names)
	columns[0] = strings.TrimPrefix(columns[0], "\ufeff") // of a spreadsheet
	for i, name := range columns {
		place := fmt.Sprintf("line %d, column %d", line, i+1)
		switch {
		case !slices.Contains(pricesHeader, name):
			return nil, wrongAt(place, name, "must be one of "+strings.Join(pricesHeader, ", "))
		case slices.Contains(columns[:i], name):
			return nil, wrongAt(place, name, "is there twice")
		}
	}
	for _, name := range []string{"provider", "model_hint"} {
		if !slices.Contains(columns, name) {
			return nil, wrongAt(fmt.Sprintf("line %d", line), "", "must have the column "+name)
		}
	}
	return columns, nil
}

// readCells returns the row of a line.
func readCells(columns, cells []string, line int) (row Row, err error) {
	at := func(column string) string { return fmt.Sprintf("line %d, column %s", line, column) }
	fields := reflect.ValueOf(&row).Elem()
	for i, column := range columns {
		cell := strings.TrimSpace(cells[i])
		if column != "tier_threshold_tokens" {
			fields.Field(slices.Index(pricesHeader, column)).SetString(cell)
		} else if row.TierThresholdTokens, err = strconv.ParseInt(cmp.Or(cell, "0"), 10, 64); err != nil {
			return Row{}, wrongAt(at(column), cell, "must be a whole number")
		}
	}
	switch row.Modality {
	case "", ModalityText, ModalityImage, ModalityAudio, ModalityVideo:
	default:
		return Row{}, wrongAt(at("modality"), row.Modality, "must be text, image, audio or video")
	}
	err = row.complete()
	var wrong *ValueError
	if errors.As(err, &wrong) {
		field, _ := fields.Type().FieldByName(wrong.Field)
		return Row{}, wrongAt(at(field.Tag.Get("json")), wrong.Value, wrong.Reason)
	}
	return row, err
}

// wrongAt returns the error of a place in the text.
func wrongAt(place, value, reason string) error {
	return invalid("r", value, "is wrong in "+place+": "+reason)
}

// csvError returns an error of the reader as one that names the line and the place, and shows nothing of the text.
func csvError(err error) error {
	var malformed *csv.ParseError
	switch {
	case !errors.As(err, &malformed):
		return fmt.Errorf("prices: ReadCSV: %w", err)
	case errors.Is(err, csv.ErrFieldCount):
		return wrongAt(fmt.Sprintf("line %d", malformed.Line), "", "must have as many cells as there are columns")
	}
	return wrongAt(fmt.Sprintf("line %d, column %d", malformed.Line, malformed.Column), "", "is not CSV: "+malformed.Err.Error())
}

// Providers returns the providers that the list has rows of, sorted: the providers of the table and the names of your own rows.
func (l *List) Providers() []models.Provider {
	seen := map[models.Provider]bool{}
	providers := []models.Provider{}
	for _, list := range l.lists() {
		for _, row := range list.Rows() {
			if p := models.Provider(row.Provider); !seen[p] {
				seen[p] = true
				providers = append(providers, p)
			}
		}
	}
	slices.Sort(providers)
	return providers
}
