package calls_test

import (
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

func sumOf(t *testing.T, opts calls.Options, lines ...string) ([]calls.Group, error) {
	t.Helper()
	return sum(opts, writeFiles(t, map[string]string{"calls.jsonl": strings.Join(lines, "\n")}))
}

// sum returns the first grouping's rows.
func sum(opts calls.Options, paths ...string) ([]calls.Group, error) {
	all, err := calls.Sum(opts, paths...)
	if len(all) == 0 {
		return nil, err
	}
	return all[0], err
}

const openAIUsage = `"usage":{"input_tokens":8000,"output_tokens":100,"total_tokens":8100}`

// lineOf returns a gpt-5.2 line with more fields.
func lineOf(at, more string) string {
	return `{"provider":"openai","model":"gpt-5.2","time":"` + at + `",` + openAIUsage + more + "}"
}

func TestSumGroups(t *testing.T) {
	t.Parallel()
	lines := []string{
		lineOf("2026-11-20T23:30:00Z", `,"usd":"0.1","labels":{"user":"ann","team":"x"},"model_stage":"LEGACY","retirement_date":"2027-03-31"`),
		lineOf("2026-11-21T00:30:00+01:00", `,"usd":"0.2","labels":{"user":"bob"}`),
		lineOf("2026-11-21T00:00:00Z", `,"usd":null,"unpriced":"closed","labels":{"user":"ann"}`),
		`{"provider":"xai","model":"grok-4","time":"2026-11-21T00:00:01Z","usage":null,"usd":null}`,
	}
	for _, test := range []struct {
		by   []string
		want string
	}{
		{nil, `[] 4 2 0.3 24000;`},
		{[]string{"day"}, `[2026-11-20] 2 0 0.3 16000; [2026-11-21] 2 2 0 8000;`},
		{[]string{"provider", "model"}, `[openai gpt-5.2] 3 1 0.3 24000; [xai grok-4] 1 1 0 0;`},
		{[]string{"label:user"}, `[] 1 1 0 0; [ann] 2 1 0.1 16000; [bob] 1 0 0.2 8000;`},
		{[]string{"label:team", "label:user", "day"}, `[  2026-11-21] 1 1 0 0; [ ann 2026-11-21] 1 1 0 8000; [ bob 2026-11-20] 1 0 0.2 8000; [x ann 2026-11-20] 1 0 0.1 8000;`},
		{[]string{"model_stage", "retirement_date"}, `[ ] 3 2 0.2 16000; [LEGACY 2027-03-31] 1 0 0.1 8000;`},
		{[]string{"unpriced"}, `[] 2 0 0.3 16000; [closed] 1 1 0 8000; [the cost was unknown] 1 1 0 0;`},
	} {
		rows, err := sumOf(t, calls.Options{By: [][]string{test.by}}, lines...)
		require.NoError(t, err)
		var got []string
		for _, r := range rows {
			got = append(got, fmt.Sprintf("%v %d %d %s %d;", r.Values, r.Calls, r.Unpriced, r.USD, r.Usage.Input))
		}
		assert.Equal(t, test.want, strings.Join(got, " "), test.by)
	}
}

// Joined, two groups' values may be the same string.
func TestSumKeepsGroupsApart(t *testing.T) {
	t.Parallel()
	const at = "2026-11-20T12:00:00Z"
	rows, err := sumOf(t, calls.Options{By: [][]string{{"label:a", "label:b"}}},
		lineOf(at, `,"usd":"1","labels":{"a":"x","b":"yz"}`), lineOf(at, `,"usd":"10","labels":{"a":"xy","b":"z"}`),
		lineOf(at, `,"usd":"100","labels":{"b":"xyz"}`), lineOf(at, `,"usd":"1000","labels":{"a":"xyz"}`))
	require.NoError(t, err)
	sums := map[string]prices.USD{}
	for _, r := range rows {
		sums[strings.Join(r.Values, "|")] = r.USD
	}
	assert.Equal(t, map[string]prices.USD{"x|yz": "1", "xy|z": "10", "|xyz": "100", "xyz|": "1000"}, sums)

	rows, err = sumOf(t, calls.Options{By: [][]string{{"label:a"}}},
		lineOf(at, ",\"usd\":\"1\",\"labels\":{\"a\":\"x\xff\"}"), lineOf(at, ",\"usd\":\"1\",\"labels\":{\"a\":\"x\xfe\"}"))
	require.NoError(t, err)
	require.Len(t, rows, 1, "invalid UTF-8 becomes the same text")
	assert.Equal(t, []string{"x\ufffd"}, rows[0].Values)
}

func TestSumMakesSeveralGroupingsInOnePass(t *testing.T) {
	t.Parallel()
	file := writeFiles(t, map[string]string{"calls.jsonl": strings.Join([]string{
		lineOf("2026-11-20T12:00:00Z", `,"usd":"1","labels":{"team":"a"}`),
		lineOf("2026-11-21T12:00:00Z", `,"usd":"10","labels":{"team":"b"}`),
		lineOf("2026-11-21T13:00:00Z", `,"usd":"100","labels":{"team":5}`), // in no grouping
	}, "\n")})
	all, err := calls.Sum(calls.Options{By: [][]string{{"day"}, {}, {"label:team"}}}, file)
	var line *calls.LineError
	require.ErrorAs(t, err, &line)
	assert.Equal(t, 3, line.Line)
	require.Len(t, all, 3)
	for i, want := range [][]prices.USD{{"1", "10"}, {"11"}, {"1", "10"}} {
		var usd []prices.USD
		for _, row := range all[i] {
			usd = append(usd, row.USD)
		}
		assert.Equal(t, want, usd, i)
	}
}

func TestSumSelectsTimes(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	lines := []string{lineOf("2026-11-20T11:59:59.999999999Z", `,"usd":"1"`), lineOf("2026-11-20T12:00:00Z", `,"usd":"10"`), lineOf("2026-11-20T13:00:00Z", `,"usd":"100"`)}
	for want, opts := range map[prices.USD]calls.Options{"111": {}, "110": {From: at}, "11": {To: at.Add(time.Hour)}, "10": {From: at, To: at.Add(time.Hour)}} {
		rows, err := sumOf(t, opts, lines...)
		require.NoError(t, err)
		assert.Equal(t, want, rows[0].USD)
	}
	rows, err := sumOf(t, calls.Options{From: at.AddDate(1, 0, 0)}, lines...)
	require.NoError(t, err)
	assert.Empty(t, rows)
}

func TestSumPrices(t *testing.T) {
	t.Parallel()
	const at = "2026-11-20T12:00:00Z"
	cost, err := prices.BuiltIn().CostOf(prices.Call{
		Provider: models.OpenAI, Model: "gpt-5.2", At: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), Usage: prices.Usage{Input: 8000, Output: 100},
	})
	require.NoError(t, err)
	for name, test := range map[string]struct {
		line          string
		usd, repriced prices.USD
	}{
		"without a cost":           {lineOf(at, ""), cost.USD, cost.USD},
		"with a cost":              {lineOf(at, `,"usd":"7","complete":true,"status":200`), "7", cost.USD},
		"null":                     {lineOf(at, `,"usd":null`), "", cost.USD},
		"closed early":             {lineOf(at, `,"usd":null,"complete":false`), "", ""},
		"refused":                  {lineOf(at, `,"usd":"0","complete":false,"status":429`), "0", "0"},
		"an endpoint by time":      {lineOf(at, `,"usd":null,"path":"/v1/containers"`), "", ""},
		"a charge":                 {`{"provider":"xai","model":"grok-4","time":"` + at + `","usage":null,"usd":"3"}`, "3", "3"},
		"invalid counts":           {strings.Replace(lineOf(at, `,"usd":"7"`), "8100", "1", 1), "7", "7"},
		"an unknown model":         {strings.Replace(lineOf(at, ""), "gpt-5.2", "gpt-none", 1), "", ""},
		"a tool in the response":   {lineOf(at, `,"usd":"7","requests":{"a_tool_of_tomorrow":1}`), "7", ""},
		"tools that are negative":  {lineOf(at, `,"usd":"7","requests":{"web_search":-1}`), "7", "7"},
		"a mode of the line":       {lineOf(at, `,"usd":"7","mode":"mode-of-tomorrow"`), "7", ""},
		"another program's fields": {lineOf(at, `,"usd":"7","cost":{"a":[1,2]}`), "7", cost.USD},
	} {
		for reprice, want := range map[bool]prices.USD{false: test.usd, true: test.repriced} {
			rows, err := sumOf(t, calls.Options{Reprice: reprice}, test.line)
			require.NoError(t, err, name)
			require.Len(t, rows, 1, name)
			assert.Equal(t, 1, rows[0].Calls)
			if want == "" {
				assert.Equal(t, 1, rows[0].Unpriced, "%s, reprice: %v", name, reprice)
				continue
			}
			assert.Zero(t, rows[0].Unpriced, name)
			assert.Equal(t, want, rows[0].USD, "%s, reprice: %v", name, reprice)
		}
	}
}

func TestSumChecksItsOptions(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for _, opts := range []calls.Options{
		{By: [][]string{{"hour"}}}, {By: [][]string{{""}}}, {By: [][]string{{"label:"}}}, {By: [][]string{{"day", "day"}}}, {By: [][]string{{"label:a", "label:a"}}}, {From: now, To: now},
	} {
		_, err := sum(opts, "/does/not/exist")
		var value *discovery.ValueError
		require.ErrorAs(t, err, &value, opts.By)
		assert.NotContains(t, value.Reason, "label: is")
	}
	_, err := sum(calls.Options{By: [][]string{{"team"}}})
	require.ErrorContains(t, err, "; label:team is the label team")
}

func TestSumReturnsTheFirstErrorsInOrder(t *testing.T) {
	t.Parallel()
	bad := strings.Repeat("x\n", 50_000)
	dir := writeFiles(t, map[string]string{"a.jsonl": callLine + bad, "b.jsonl": callLine + strings.Replace(callLine, "8100", "1", 1)})
	rows, err := sum(calls.Options{}, dir, dir+"/none")
	require.Len(t, rows, 1)
	assert.Equal(t, 2, rows[0].Calls)
	lines := strings.Split(err.Error(), "\n")
	require.Len(t, lines, 101)
	for i, line := range lines[:100] {
		assert.Contains(t, line, fmt.Sprintf("a.jsonl:%d: ", i+2))
		assert.True(t, strings.HasPrefix(line, "calls: "), line)
	}
	assert.Equal(t, "calls: 49902 more lines cannot be read", lines[100])
	rows, err = sum(calls.Options{}, dir+"/b.jsonl", dir+"/none")
	require.Len(t, rows, 1)
	assert.ErrorContains(t, err, "b.jsonl:2: prices: usage")
	assert.ErrorContains(t, err, "none")
}

// TestSumAgreesWithRead sums made-up files both ways.
func TestSumAgreesWithRead(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(4, 2))
	texts := map[string]string{}
	for i := range 5 {
		var text strings.Builder
		for range 3000 {
			fmt.Fprintf(&text, `{"provider":%q,"model":"m%d","time":"2026-11-%02dT12:00:00Z","usage":null,"usd":"%d.%0*d","labels":{"l":"%d"}}`+"\n",
				models.Providers()[random.IntN(5)], random.IntN(3), 1+random.IntN(20), random.IntN(3), 1+random.IntN(30), random.IntN(10), random.IntN(2))
		}
		texts[fmt.Sprintf("%d.jsonl", i)] = text.String()
	}
	texts["5.jsonl.gz"] = gzipped(t, texts["0.jsonl"])
	dir := writeFiles(t, texts)
	want := map[string]*big.Rat{}
	records, errs := collect(calls.Read(calls.Options{Recorded: true}, dir))
	require.Empty(t, errs)
	for _, r := range records {
		key := strings.Join([]string{r.Model, r.Time.Format(time.DateOnly), string(r.Provider), r.Labels["l"]}, " ")
		usd, _ := new(big.Rat).SetString(string(r.USD))
		if want[key] == nil {
			want[key] = new(big.Rat)
		}
		want[key].Add(want[key], usd)
	}
	rows, err := sum(calls.Options{By: [][]string{{"model", "day", "provider", "label:l"}}}, dir)
	require.NoError(t, err)
	assert.Len(t, rows, len(want))
	assert.True(t, slices.IsSortedFunc(rows, func(a, b calls.Group) int { return slices.Compare(a.Values, b.Values) }))
	for _, r := range rows {
		usd, _ := new(big.Rat).SetString(string(r.USD))
		assert.Zero(t, usd.Cmp(want[strings.Join(r.Values, " ")]), r.Values)
	}
}

// TestSumRefusesWhatReadRefuses checks that Sum accepts the same lines as Read, whatever
// the grouping.
func TestSumRefusesWhatReadRefuses(t *testing.T) {
	t.Parallel()
	const at = "2026-11-20T12:00:00Z"
	for line, valid := range map[string]bool{
		lineOf(at, `,"usd":"1","labels":{"team":null,"user":"a"}`): true, lineOf(at, `,"usd":"1","labels":{"team":3}`): false, lineOf(at, `,"usd":"1","labels":{"user":{}}`): false,
		lineOf(at, `,"usd":"1","requests":{"a":2,"b":null}`): true, lineOf(at, `,"usd":"1","requests":{"a":"2"}`): false, lineOf(at, `,"usd":"1","requests":{"a":1.5}`): false,
		lineOf(at, `,"usd":"1","duration_ms":-5`): true, lineOf(at, `,"usd":"1","duration_ms":-1e15`): false, lineOf("2020-01-01T00:00:00Z", `,"usd":"1e3"`): false,
		lineOf("0000-06-01T00:00:00Z", `,"usd":"1"`): false, lineOf("0001-01-01T00:00:00+01:00", `,"usd":"1"`): false, lineOf("9999-12-31T23:59:59-01:00", `,"usd":"1"`): false,
		lineOf("0001-01-01T00:00:01Z", `,"usd":"1"`): true, lineOf("9999-12-31T23:59:59Z", `,"usd":"1"`): true,
	} {
		file := writeFiles(t, map[string]string{"a.jsonl": line})
		records, errs := collect(calls.Read(calls.Options{Recorded: true}, file))
		assert.Equal(t, valid, errs == nil, line)
		for _, opts := range []calls.Options{{}, {By: [][]string{{"label:team"}}}, {From: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}} {
			rows, err := sum(opts, file)
			assert.Equal(t, valid, err == nil, "%s %v", line, err)
			if opts.From.IsZero() {
				assert.Len(t, rows, len(records), line)
			}
		}
	}
}

// TestTextsAreUTF8 checks that Sum and Read replace the same bytes, and that Sum has one
// row for strings that become equal.
func TestTextsAreUTF8(t *testing.T) {
	t.Parallel()
	text := `{"provider":"openai","model":"a` + "\xff\xff" + `b","time":"2026-11-20T12:00:00Z","usd":"1","labels":{"team":"` + "\xc3\xc3" + `"},"id":"\ud800"}` + "\n"
	file := writeFiles(t, map[string]string{"a.jsonl": text + strings.ReplaceAll(text, "\xff", "\xfe")})
	rows, err := sum(calls.Options{By: [][]string{{"model", "label:team"}}}, file)
	require.NoError(t, err)
	require.Len(t, rows, 1)
	assert.Equal(t, []string{"a\uFFFD\uFFFDb", "\uFFFD\uFFFD"}, rows[0].Values)
	records, errs := collect(calls.Read(calls.Options{Recorded: true}, file))
	require.Empty(t, errs)
	assert.Equal(t, "a\uFFFD\uFFFDb", records[0].Model)
	assert.Equal(t, "\uFFFD", records[0].ID)
	assert.Equal(t, map[string]string{"team": "\uFFFD\uFFFD"}, records[0].Labels)
}

// A line whose tokens no longer fit in a sum is an error, and in no group. Money has no
// limit.
func TestSumsDoNotOverflow(t *testing.T) {
	t.Parallel()
	const most = 1023 // times 2^53, less than 2^63
	line := `{"provider":"anthropic","model":"m%d","time":"2026-11-20T12:00:00Z","usage":{"input_tokens":9007199254740992,"output_tokens":0},"usd":"123456789012345678901234567890","labels":{"l":"` + strings.Repeat("x", 1000) + `"}}`
	var lines []string
	for i := range most + 2 {
		lines = append(lines, fmt.Sprintf(line, i%2))
	}
	file := writeFiles(t, map[string]string{"a.jsonl": strings.Join(lines, "\n"), "b.jsonl": lineOf("2026-11-20T12:00:00Z", `,"usd":"1"`)})
	for range 3 { // whichever goroutine reads a line
		all, err := calls.Sum(calls.Options{By: [][]string{{"model"}, {"day"}}, MatchLabels: map[string]string{"l": strings.Repeat("x", 1000)}}, file)
		var at []int
		for _, err := range err.(interface{ Unwrap() []error }).Unwrap() {
			var line *calls.LineError
			require.ErrorAs(t, err, &line)
			at = append(at, line.Line)
		}
		assert.Equal(t, []int{most + 1, most + 2}, at)
		require.Len(t, all[1], 1)
		assert.Equal(t, int64(most<<53), all[1][0].Usage.Input)
		assert.EqualValues(t, "126296295159629629515962962951470", all[1][0].USD)
	}

	totals, err := calls.NewTotals()
	require.NoError(t, err)
	records, errs := collect(calls.Read(calls.Options{}, file))
	assert.Len(t, errs, 2)
	for _, r := range records[:most] {
		require.NoError(t, totals.Add(r))
	}
	require.Error(t, totals.Add(records[0]))
	assert.Equal(t, most, totals.Groups()[0].Calls)
	more, err := calls.NewTotals()
	require.NoError(t, err)
	require.NoError(t, more.Add(records[0]))
	assert.Panics(t, func() { totals.Merge(more) })
}

func FuzzSum(f *testing.F) {
	f.Add(callLine + "x\n" + lineOf("2026-11-20T12:00:00Z", `,"usd":"7","labels":{"a":"b"},"requests":{"c":1}`))
	f.Add(lineOf("2026-11-20T12:00:00Z", `,"usd":null,"unpriced":"w"`))
	f.Fuzz(func(t *testing.T, text string) {
		dir := writeFiles(t, map[string]string{"calls.jsonl": text})
		records, errs := collect(calls.Read(calls.Options{Recorded: true}, dir))
		rows, err := sum(calls.Options{By: [][]string{{"day", "label:a", "unpriced"}}}, dir)
		calls := 0
		for _, r := range rows {
			calls += r.Calls
		}
		if calls > len(records)+len(errs) || (calls < len(records) && err == nil) {
			t.Fatalf("%d calls in %d records, and %v", calls, len(records), err)
		}
		var value *discovery.ValueError
		if errors.As(err, &value) && value.Field == "By" {
			t.Fatal(err)
		}
	})
}
