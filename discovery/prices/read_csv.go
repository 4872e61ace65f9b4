package prices

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/models"
)

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
	texts := row.texts()
	for i, column := range columns {
		cell := strings.TrimSpace(cells[i])
		if text := texts[column]; text != nil {
			*text = cell
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
		return Row{}, wrongAt(at(columnOf[wrong.Field]), wrong.Value, wrong.Reason)
	}
	return row, err
}

// columnOf has the columns of the fields that are checked.
var columnOf = map[string]string{
	"Provider": "provider", "ModelHint": "model_hint", "TierThresholdTokens": "tier_threshold_tokens", "InputPerMTok": "input_per_mtok",
	"OutputPerMTok": "output_per_mtok", "CacheReadPerMTok": "cache_read_per_mtok", "CacheWrite5mPerMTok": "cache_write_5m_per_mtok",
	"CacheWrite1hPerMTok": "cache_write_1h_per_mtok", "ValidFrom": "valid_from", "ValidUntil": "valid_until",
}

// wrongAt returns the error of a place in the text.
func wrongAt(place, value, reason string) error {
	return invalid("r", value, "is wrong in "+place+": "+reason)
}

// texts returns the fields by their columns, except tier_threshold_tokens.
func (r *Row) texts() map[string]*string {
	return map[string]*string{
		"provider": (*string)(&r.Provider), "model_hint": &r.ModelHint, "sku_id": &r.SKUID, "sku_description": &r.SKUDescription,
		"input_per_mtok": &r.InputPerMTok, "output_per_mtok": &r.OutputPerMTok, "cache_read_per_mtok": &r.CacheReadPerMTok,
		"cache_write_5m_per_mtok": &r.CacheWrite5mPerMTok, "cache_write_1h_per_mtok": &r.CacheWrite1hPerMTok, "usage_unit": &r.UsageUnit,
		"source": &r.Source, "verified_at": &r.VerifiedAt, "valid_from": &r.ValidFrom, "valid_until": &r.ValidUntil,
		"modality": &r.Modality, "mode": &r.Mode,
	}
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
