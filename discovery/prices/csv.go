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

// pricesHeader has the JSON names of [Row], whose field order is therefore fixed: a
// column keeps its name and place, and new ones are appended.
var pricesHeader = jsonNames()

func jsonNames() (names []string) {
	for _, field := range reflect.VisibleFields(reflect.TypeFor[Row]()) {
		names = append(names, field.Tag.Get("json"))
	}
	return names
}

// WriteCSV writes the list as CSV for a database, in the order of [List.Rows]. It
// returns w's error. examples/warehouse joins the rows with calls.
//
// The first line has the column names, which are the JSON names of [Row]. Later
// versions add columns only at the end. A price is a decimal without an exponent. An
// unknown price and an open date are empty, never 0.
func (l *List) WriteCSV(w io.Writer) error {
	if w == nil {
		return invalid("w", "", "must not be nil")
	}
	out := csv.NewWriter(w)
	_ = out.Write(pricesHeader) // out.Error returns any error later
	for _, row := range l.Rows("") {
		_ = out.Write(row.cells())
	}
	out.Flush()
	return out.Error()
}

func (r *Row) cells() []string {
	cells, fields := make([]string, len(pricesHeader)), reflect.ValueOf(r).Elem()
	for i := range cells {
		cells[i] = fmt.Sprint(fields.Field(i))
	}
	return cells
}

// ReadCSV reads rows for [List.With], and checks each row as With does.
//
// The first line names the columns: those that [List.WriteCSV] writes, in any order.
// Only provider and model_hint are required. Lines that begin with # are skipped.
//
// For an invalid row, the error is a [*ValueError] whose Reason names the line and
// column, as in "line 3, column input_per_mtok". It is also a [*ValueError] if the
// input exceeds 32 MiB. An error from r is returned, wrapped.
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

func readColumns(in *csv.Reader) ([]string, error) {
	names, err := in.Read()
	if errors.Is(err, io.EOF) {
		return nil, wrongAt("line 1", "", "must have the column names")
	}
	if err != nil {
		return nil, csvError(err)
	}
	line, _ := in.FieldPos(0)
	columns := slices.Clone(names)
	columns[0] = strings.TrimPrefix(columns[0], "\ufeff") // a spreadsheet's byte order mark
	for i, name := range columns {
		place := fmt.Sprintf("line %d, column %d", line, i+1)
		switch {
		case !slices.Contains(pricesHeader, name):
			return nil, wrongAt(place, name, "must be one of "+strings.Join(pricesHeader, ", "))
		case slices.Contains(columns[:i], name):
			return nil, wrongAt(place, name, "is repeated")
		}
	}
	for _, name := range []string{"provider", "model_hint"} {
		if !slices.Contains(columns, name) {
			return nil, wrongAt(fmt.Sprintf("line %d", line), "", "must have the column "+name)
		}
	}
	return columns, nil
}

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
		reason := strings.ReplaceAll(wrong.Reason, "ValidFrom", "valid_from") // columns, not fields
		return Row{}, wrongAt(at(field.Tag.Get("json")), wrong.Value, reason)
	}
	return row, err
}

func wrongAt(place, value, reason string) error {
	return invalid("r", value, "is wrong in "+place+": "+reason)
}

// csvError names the line and column, but shows nothing from the file.
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

// Providers returns the sorted providers that have rows: those in the table, and the
// names in your own rows.
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
