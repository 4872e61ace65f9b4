// Reports on unusual calls, names, times and amounts.

package report_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/report"
	"github.com/mesh-gateway/mesh-go/discovery/bills"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// checkJSON checks that a report survives a round trip through JSON, and that no list is
// null.
func checkJSON(t *testing.T, r *report.Report) {
	t.Helper()
	text, err := json.Marshal(r)
	require.NoError(t, err)
	var back report.Report
	require.NoError(t, json.Unmarshal(text, &back))
	assert.True(t, reflect.DeepEqual(r, &back))
	assert.Empty(t, nilSlices(reflect.ValueOf(*r), ""), "an empty list is []")
}

// nilSlices returns the names of nil slices.
func nilSlices(v reflect.Value, name string) (all []string) {
	switch v.Kind() {
	case reflect.Slice:
		if v.IsNil() {
			return []string{name}
		}
		for i := range v.Len() {
			all = append(all, nilSlices(v.Index(i), name)...)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				all = append(all, nilSlices(v.Field(i), name+"."+v.Type().Field(i).Name)...)
			}
		}
	case reflect.Pointer:
		if !v.IsNil() {
			return nilSlices(v.Elem(), name)
		}
	default:
	}
	return all
}

// A report since 1970 has rows only for days with calls, not 20,780.
func TestUnusualCalls(t *testing.T) {
	t.Parallel()
	unpriced := priced(at(2), "")
	unpriced.Unpriced = "there is no price"
	for name, records := range map[string][]calls.Record{
		"none":         nil,
		"one":          {priced(at(2), "1")},
		"one day":      repeat(20, priced(at(0), "0.1")),
		"all unpriced": repeat(20, unpriced),
		"all free":     repeat(200, priced(at(2), "0")),
		"1970":         {priced(time.Unix(0, 0), "1"), priced(time.Unix(-1, 0), "1"), priced(at(2), "1"), priced(at(33), "1")},
		"only 1970":    {priced(time.Unix(0, 0), "1")},
		"year 1":       {priced(time.Date(1, 1, 1, 0, 0, 0, 1, time.UTC), "1"), priced(time.Date(9999, 12, 31, 23, 0, 0, 0, time.UTC), "1")},
		"large":        append(repeat(3, priced(at(2), "999999999999999999999999999999")), priced(at(33), "999999999999999999999999999999"), priced(at(33), "0.0000000000000000000001")),
		"no model":     {of(priced(at(2), "1"), "")},
		"names": {
			labelled(of(priced(at(2), "1"), "<script>alert(1)</script>"), "project", "\u202e\x00\x1b[31m"), labelled(priced(at(1), "1"), "<b>", "&amp;"),
			labelled(of(priced(at(2), "1"), strings.Repeat("é", 5000)), strings.Repeat("n", 5000), strings.Repeat("v", 5000)), labelled(priced(at(2), "1"), "", "x"),
		},
		"status": {{Provider: models.OpenAI, Model: "m", Time: at(1), Status: -5, USD: "0"}, {Provider: models.OpenAI, Model: "m", Time: at(1), Status: math.MaxInt, USD: "0", Attempt: -3, Duration: -time.Second}},
	} {
		for _, o := range []report.Options{{}, {From: day("1970-01-01")}, {Now: time.Unix(100, 0)}, {To: day("1970-01-02"), Labels: []string{}}} {
			r := build(t, o, records...)
			checkReport(t, r)
			checkJSON(t, r)
			assert.Equal(t, len(records), r.Source.Calls, name)
			assert.LessOrEqual(t, len(r.Days.Rows), 28)
			for _, m := range r.Models {
				assert.LessOrEqual(t, len(m.Model), 256)
			}
		}
	}
}

func TestRecordsThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	good := priced(at(2), "1")
	bad := []calls.Record{
		priced(time.Time{}, "1"), priced(at(2), "1e3"), priced(at(2), "-1"), {Model: "nobody", Time: at(2), USD: "1"},
		{Provider: models.OpenAI, Model: "gpt-5.2", Time: at(2)}, {Provider: models.OpenAI, Model: "gpt-5.2", Time: at(2), Usage: []byte(`{"x":1}`)},
		{Provider: models.OpenAI, Model: "gpt-5.2", Time: at(2), Unpriced: "why", BoundUSD: "x"},
	}
	r := build(t, report.Options{}, append(bad, good)...)
	assert.Equal(t, len(bad), r.Errors.Count)
	assert.Len(t, r.Errors.First, len(bad))
	assert.EqualValues(t, "1", r.Total.USD)
	r, err := report.Build(func(yield func(calls.Record, error) bool) {
		_ = yield(good, nil) && yield(calls.Record{}, errors.New("torn"))
	}, report.Options{Now: now})
	require.NoError(t, err)
	assert.Equal(t, report.Errors{Count: 1, First: []string{"torn"}}, r.Errors)
	assert.Equal(t, 1, r.Source.Calls)
}

func TestInvalidOptions(t *testing.T) {
	t.Parallel()
	for field, o := range map[string]report.Options{
		"To":     {From: at(1), To: at(2)},
		"Now":    {Now: time.Date(20000, 1, 1, 0, 0, 0, 0, time.UTC)},
		"From":   {From: time.Date(-1, 1, 1, 0, 0, 0, 0, time.UTC)},
		"Budget": {Budgets: []string{"5/week"}},
		"Bills":  {Bills: []*bills.Comparison{nil}},
	} {
		_, err := report.Read(o, filepath.Join(t.TempDir(), "none"))
		var wrong *report.ValueError
		require.ErrorAs(t, err, &wrong, field)
		assert.Equal(t, field, wrong.Field)
	}
}

// Label values beyond 100,000 and models beyond 1,000 are counted as others.
func TestNamesBeyondTheBoundsAreOthers(t *testing.T) {
	t.Parallel()
	const n = 100_100
	records := func(yield func(calls.Record, error) bool) {
		for i := range n {
			r := labelled(of(priced(at(2), "0.5"), "m"+strconv.Itoa(i%1500)), "user", strconv.Itoa(i))
			if !yield(r, nil) {
				return
			}
		}
	}
	r, err := report.Build(records, report.Options{Now: now})
	require.NoError(t, err)
	checkReport(t, r)
	require.Len(t, r.Labels, 1)
	assert.True(t, r.Labels[0].Folded)
	assert.Equal(t, 100_000, r.Labels[0].Values)
	require.Len(t, r.Labels[0].Rows, 201)
	others := r.Labels[0].Rows[200]
	assert.Equal(t, []any{true, 99_800, n - 200}, []any{others.Others, others.Values, others.Calls})
	require.Len(t, r.Models, 1001)
	assert.True(t, r.Models[1000].Others)
	assert.Nil(t, r.Users, "there are more than 100,000 pairs")
}

// Files are read in parallel. Some lines are torn, and one path is missing.
func TestReadIsBuild(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	records := someRecords(6000, 90)
	for i := range 3 {
		var text []byte
		for _, r := range records[i*2000 : (i+1)*2000] {
			line, err := json.Marshal(r)
			require.NoError(t, err)
			text = append(append(text, line...), '\n')
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.jsonl", i)), append(text, "{\"torn"...), 0o600))
	}
	missing := filepath.Join(dir, "missing")
	got, err := report.Read(report.Options{Now: now, Budgets: []string{"700/month"}}, missing, dir)
	require.NoError(t, err)
	assert.Equal(t, 4, got.Errors.Count)
	assert.Equal(t, []string{missing, dir}, got.Source.Paths)
	want := build(t, report.Options{Budgets: []string{"700/month"}}, records...)
	want.Errors, want.Source.Paths = got.Errors, got.Source.Paths
	assert.True(t, reflect.DeepEqual(want, got))
	checkJSON(t, got)
}
