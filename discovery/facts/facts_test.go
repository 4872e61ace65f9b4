package facts_test

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/facts"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/test/newfacts"
)

func bundle(t *testing.T, f *facts.Facts) string {
	t.Helper()
	var text strings.Builder
	n, err := f.WriteTo(&text)
	require.NoError(t, err)
	assert.EqualValues(t, text.Len(), n)
	return text.String()
}

// Files are checked like received facts.
func TestBuiltInFacts(t *testing.T) {
	t.Parallel()
	dir, err := facts.ReadFS(os.DirFS("."))
	require.NoError(t, err)
	assert.Equal(t, facts.BuiltIn().Version(), dir.Version())
	assert.Equal(t, bundle(t, facts.BuiltIn()), bundle(t, dir))
	read, err := facts.Read(strings.NewReader(bundle(t, dir)))
	require.NoError(t, err)
	assert.Equal(t, bundle(t, dir), bundle(t, read))
	assert.Regexp(t, `^\d{4}-\d\d-\d\d\.\d+$`, dir.Version())
	oldest := dir.AsOf().Format(time.DateOnly)
	assert.LessOrEqual(t, oldest, models.RetirementsAsOf())
	assert.Equal(t, dir.AsOf(), facts.BuiltIn().AsOf())
	assert.Less(t, len(bundle(t, dir)), 200_000)
}

func TestReadMeNamesEveryFile(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	for name := range newfacts.Files() {
		assert.Contains(t, string(text), "`"+name+"`")
	}
}

// Tomorrow's facts know more than the built-in ones, and don't change them.
func TestFactsOfTomorrow(t *testing.T) {
	t.Parallel()
	f, err := facts.ReadFS(newfacts.Tomorrow())
	require.NoError(t, err)
	require.NoError(t, f.Newer(facts.BuiltIn()))
	day := time.Date(2027, 2, 9, 1, 30, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		call        prices.Call
		before, now string
	}{
		"price":    {prices.Call{Provider: models.OpenAI, Model: "gpt-99", Usage: prices.Usage{Input: 1_000_000}}, "", "1"},
		"factor":   {prices.Call{Provider: models.OpenAI, Model: "gpt-4.1", Mode: "batch", Usage: prices.Usage{Input: 1_000_000}}, "1", "0.5"},
		"region":   {prices.Call{Provider: models.OpenAI, Model: "gpt-4.1", Platform: "azure", Region: "data-zone", Usage: prices.Usage{Input: 1_000_000}}, "2.2", "3"},
		"fee":      {prices.Call{Provider: models.Anthropic, Model: "claude-opus-5", Usage: prices.Usage{ToolUses: map[string]int64{"web_search": 1}}}, "0.01", "0.02"},
		"modality": {prices.Call{Provider: models.XAI, Model: "grok-4.7", Usage: prices.Usage{ImageInput: 1_000_000}}, "4", ""},
	} {
		c.call.At = day
		assert.EqualValues(t, c.before, usd(prices.BuiltIn(), c.call), name)
		assert.EqualValues(t, c.now, usd(prices.Of(f), c.call), name)
	}
	for at, want := range map[time.Time][2]string{day: {"peak", "off-peak"}, day.AddDate(0, 0, -1).Add(time.Hour): {"peak", "off-peak"}} {
		for i, list := range []*prices.List{prices.BuiltIn(), prices.Of(f)} {
			row, _ := list.Price(models.DeepSeek, "deepseek-flash", at)
			assert.Equal(t, want[i], row.Mode, at)
		}
	}
	row, _ := prices.Of(f).Price(models.OpenAI, "gpt-99", day)
	assert.Equal(t, "2026-11-25", row.VerifiedAt)
	assert.True(t, strings.HasSuffix(row.Source, "; price table of "+newfacts.Version()), row.Source)
	registry := models.Of(f)
	assert.Equal(t, models.RetirementStatus{State: models.StateRetiring, Date: "2127-06-01", Replacement: "gpt-99", Matched: "gpt-5.2"}, registry.Check(models.OpenAI, "gpt-5.2", day))
	assert.Equal(t, "2127-07-01", registry.CheckOn("bedrock", models.Anthropic, "us.anthropic.claude-opus-5", day).Date)
	assert.Equal(t, models.StateListed, registry.Check(models.OpenAI, "gpt-99", day).State)
	assert.Equal(t, models.StateUnknown, models.Retirements().Check(models.OpenAI, "gpt-99", day).State)
}

func usd(list *prices.List, call prices.Call) prices.USD {
	cost, err := list.USDOf(call)
	if err != nil {
		return ""
	}
	return cost
}

// One wrong cell in any table refuses all tables, and the error names its line.
func TestReadRefusesOneWrongCell(t *testing.T) {
	t.Parallel()
	for file, rows := range map[string]map[string]string{
		"prices.csv": {
			"openai,gpt-99,0,x,,,,2,,,page,2026-11-22,,,,":                                     "input must be a decimal such as 2.5",
			"openai,gpt-99,0,1,,,,-2,,,page,2026-11-22,,,,":                                    "output must be a decimal such as 2.5",
			"openai,gpt-99,0,1,,,,1e9,,,page,2026-11-22,,,,":                                   "output must be a decimal such as 2.5",
			"openai,gpt-99,-1,1,,,,2,,,page,2026-11-22,,,,":                                    "above must be a number of tokens",
			",gpt-99,0,1,,,,2,,,page,2026-11-22,,,,":                                           "provider must not be empty",
			"openai,gpt-99,0,1,,,,2,soon,,page,2026-11-22,,,,":                                 "valid_from must be a day or a time such as 2026-12-01T16:00:00Z",
			"openai,gpt-99,0,1,,,,2,2026-12-01,2026-12-01,page,2026-11-22,,,,":                 "valid_until must be after valid_from",
			"openai,gpt-99,0,1,,,,2,,,page,2126-11-22,,,,":                                     "verified_at must be a day such as 2026-12-01, not in the future",
			"openai,gpt-99,0,1,,,,2,,,page,2026-11-22,,,,x":                                    "guaranteed_through must be a day such as 2026-12-01",
			"openai,gpt-99,0,1,,,,2,,,page,2026-11-22,,,":                                      "15 cells instead of 16",
			"openai,gpt\x1b[31m,0,1,,,,2,,,page,2026-11-22,,,,":                                "model_id must be short plain text",
			"openai,gpt-99,0,1,,,,2,,," + strings.Repeat("page+", 300) + "page,2026-11-22,,,,": "sources must be short plain text",
			"": "1 cells instead of 16",
		},
		"confirmed.csv": {
			"openai,gpt-0,0,,,,2026-11-22":   "prices.csv has no such row",
			"openai,gpt-4.1,0,,,,2126-01-01": "confirmed_at must be a day such as 2026-12-01, not in the future",
			"openai,gpt-4.1":                 "2 cells instead of 7",
		},
		"fees.csv": {
			"openai,web,request,free,*,,,,page,2026-11-22":                  "usd must be a decimal such as 2.5",
			"openai,web,minute,1,*,,,,page,2026-11-22":                      "unit must be one of request, query, prompt, source, container",
			"openai,web,request,1,,,,,page,2026-11-22":                      "models must be names separated by semicolons",
			"openai,web,request,1,*,2026-12-01,2026-11-01,,page,2026-11-22": "valid_until must be after valid_from",
			"openai,web,request,1,*,,,always,page,2026-11-22":               "counted must be one of , never",
			"openai,web,request,1,*,,,,page,2126-11-22":                     "verified_at must be a day such as 2026-12-01, not in the future",
		},
		"factors.csv": {
			"openai,batch,half,*,yes,yes,,,page":  "factor must be a decimal such as 2.5",
			"openai,batch,,*,yes,yes,,,page":      "factor must be a decimal such as 2.5",
			"openai,batch,0.5,*,maybe,yes,,,page": "long must be one of yes, no",
			"openai,batch,0.5,*,yes,,,,page":      "cached must be one of yes, no",
			"openai,batch,0.5,*,yes,yes,1,,page":  "valid_from must be a day or a time such as 2026-12-01T16:00:00Z",
		},
		"regions.csv": {
			"openai,azure,x,*,*,*,,page":  "factor must be a decimal such as 2.5",
			"openai,azure,1,*,,*,,page":   "region must be names separated by semicolons",
			"openai,,1,*,*,*,,page":       "platform must not be empty",
			"openai,azure,1,*,*,*,x,page": "valid_from must be a day or a time such as 2026-12-01T16:00:00Z",
		},
		"modalities.csv": {
			"xai,image,half,*,page":  "price must be one of , text",
			"xai,smell,text,*,page":  "modality must be one of image, audio, video",
			"xai,image,text,a;,page": "models must be names separated by semicolons",
		},
		"hours.csv": {
			"deepseek,peak,1:0,25:00,no,no,,,page":    "from must be a time of the day such as 16:30",
			"deepseek,night,01:00,02:00,no,no,,,page": "mode must be one of peak, off-peak",
			"deepseek,peak,01:00,02:00,no,,,,page":    "holidays must be one of yes, no",
		},
		"holidays.csv": {"New Year,2027-01-01": "date must be a day such as 2026-12-01"},
		"models.csv":   {"openai": "1 cells instead of 2", "openai,": "model_id must not be empty"},
		"retirements.csv": {
			"openai,gpt-99,soon,,,":           "date must be a day such as 2026-12-01",
			"openai,gpt-99,2027-02-30,,,":     "date must be a day such as 2026-12-01",
			"openai,gpt-99,2027-02-20,some,,": "builds must be one of , all",
		},
		"platforms.csv": {
			"openai,gpt-99,none,azure,a":       "date must be a day such as 2026-12-01",
			"openai,gpt-99,2027-02-20,,a page": "platform must not be empty",
			"openai,gpt-99,2027-02-20,azure,":  "source must not be empty",
		},
	} {
		for row, want := range rows {
			files := newfacts.Files()
			newfacts.Append(files, file, row)
			_, err := facts.ReadFS(files)
			line := strings.Count(string(files[file].Data), "\n")
			require.Error(t, err, row)
			assert.Equal(t, "facts: "+file+":"+itoa(line)+": "+want, err.Error(), row)
		}
	}
}

// Two rows in a table never share a key.
func TestReadRefusesDuplicateRows(t *testing.T) {
	t.Parallel()
	for file, row := range map[string]string{
		"prices.csv": "openai,gpt-4.1,0,9,,,,9,,,web,2026-11-22,,,,", "confirmed.csv": "openai,gpt-4.1,0,,,,2026-01-01",
		"fees.csv":    "anthropic,web_search,query,1,*,,2099-01-01,,page,2026-11-22",
		"factors.csv": "openai,batch,0.1,*,no,no,,2099-01-01,web", "regions.csv": "openai,azure,9,*,data-zone,-,,page",
		"modalities.csv": "xai,image,,*,page", "hours.csv": "deepseek,peak,01:00,05:00,yes,yes,2026-08-22T16:00:00Z,,page",
		"holidays.csv": "2026-10-01,a day", "models.csv": "anthropic,claude-fable-5", "retirements.csv": "openai,gpt-4,2030-01-01,all,,",
		"platforms.csv": "anthropic,claude-opus-4,2030-01-01,vertex,a page",
	} {
		files := newfacts.Files()
		newfacts.Append(files, file, row)
		_, err := facts.ReadFS(files)
		line := strings.Count(string(files[file].Data), "\n")
		assert.Regexp(t, "^facts: "+file+":"+itoa(line)+": the same row as line [0-9]+$", err)
	}
}

func itoa(n int) string {
	return strings.TrimLeft(string([]byte{'0' + byte(n/100), '0' + byte(n/10%10), '0' + byte(n%10)}), "0")
}

func TestReadFSRefuses(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(fstest.MapFS){
		"facts: open VERSION: file does not exist":                            func(f fstest.MapFS) { delete(f, "VERSION") },
		"facts: open fees.csv: file does not exist":                           func(f fstest.MapFS) { delete(f, "fees.csv") },
		"facts: VERSION must be":                                              func(f fstest.MapFS) { f["VERSION"].Data = []byte("2026-11-28") },
		"facts: VERSION must be a day that is not in the future":              func(f fstest.MapFS) { f["VERSION"].Data = []byte("2126-11-28.1") },
		"facts: VERSION must be a day that is not in the future and a number": func(f fstest.MapFS) { f["VERSION"].Data = []byte("2026-11-28.01") },
		"facts: fees.csv: the last line is incomplete":                        func(f fstest.MapFS) { f["fees.csv"].Data = f["fees.csv"].Data[:99] },
		"facts: fees.csv: no columns":                                         func(f fstest.MapFS) { f["fees.csv"].Data = []byte("# as of 2026-11-22\n") },
		"facts: fees.csv:2: unsupported columns":                              func(f fstest.MapFS) { newfacts.Replace(f, "fees.csv", ",verified_at", ",verified_at,vat") },
		"facts: models.csv: must have a line # as of":                         func(f fstest.MapFS) { newfacts.Replace(f, "models.csv", "# as of 20", "# as of 21") },
		"facts: platforms.csv: must have a line # as of":                      func(f fstest.MapFS) { newfacts.Replace(f, "platforms.csv", "# as of", "# of") },
	} {
		files := newfacts.Files()
		change(files)
		_, err := facts.ReadFS(files)
		assert.ErrorContains(t, err, name)
	}
	lines := newfacts.Files()
	lines["fees.csv"].Data = []byte(strings.ReplaceAll(string(lines["fees.csv"].Data), "\n", "\r\n"))
	_, err := facts.ReadFS(lines)
	assert.NoError(t, err, "a checkout on Windows")
}

func TestReadRefusesDamage(t *testing.T) {
	t.Parallel()
	text := bundle(t, facts.BuiltIn())
	for damaged, want := range map[string]string{
		"":                 "not a bundle of this format",
		"<html></html>\n":  "not a bundle of this format",
		text[:len(text)/2]: "the digest differs",
		text[:len(text)-1]: "the digest differs",
		text + "\n":        "the digest differs",
		strings.Replace(text, "gpt-4.1,0,2,", "gpt-4.1,0,3,", 1):            "the digest differs",
		strings.Replace(text, facts.BuiltIn().Version(), "2026-11-29.1", 1): "the digest differs",
		strings.Replace(text, "mesh-go-facts-1", "mesh-go-facts-2", 1):      "not a bundle of this format",
	} {
		f, err := facts.Read(strings.NewReader(damaged))
		require.ErrorContains(t, err, want)
		assert.Nil(t, f)
	}
	_, err := facts.Read(io.MultiReader(strings.NewReader(text), failing{}))
	require.ErrorIs(t, err, errBroken)
	_, err = facts.BuiltIn().WriteTo(failing{})
	require.ErrorIs(t, err, errBroken)
}

var errBroken = errors.New("broken")

type failing struct{}

func (failing) Read([]byte) (int, error)  { return 0, errBroken }
func (failing) Write([]byte) (int, error) { return 0, errBroken }

func TestNewer(t *testing.T) {
	t.Parallel()
	of := func(version string) *facts.Facts {
		files := newfacts.Files()
		files["VERSION"].Data = []byte(version)
		f, err := facts.ReadFS(files)
		require.NoError(t, err)
		return f
	}
	base := of("2026-11-20.9")
	for version, newer := range map[string]bool{"2026-11-20.10": true, "2026-11-21.1": true, "2026-11-20.9": false, "2026-11-20.1": false, "2026-11-19.11": false} {
		err := of(version).Newer(base)
		assert.Equal(t, newer, err == nil, version)
		assert.Equal(t, newer, !errors.Is(err, facts.ErrOld), version)
	}
	for _, keep := range []int{120, 560} {
		files := newfacts.Files()
		lines := strings.SplitAfter(string(files["prices.csv"].Data), "\n")
		files["prices.csv"].Data = []byte(strings.Join(lines[:keep], ""))
		files["confirmed.csv"].Data = []byte("provider,model_id,above,valid_from,mode,modality,confirmed_at\n")
		cut, err := facts.ReadFS(files)
		require.NoError(t, err)
		if err := cut.Newer(facts.BuiltIn()); keep < 200 {
			require.ErrorIs(t, err, facts.ErrOld)
			assert.ErrorContains(t, err, "or cut")
		} else {
			assert.NoError(t, err, "a few rows may be removed")
		}
	}
}

// A received text with the right digest is either refused or usable.
func FuzzReadFS(f *testing.F) {
	f.Add("openai,gpt-99,0,1,,,,2,,,page,2026-11-22,,,,", "openai,gpt-99,2027-01-01,,a+b,")
	f.Fuzz(func(_ *testing.T, price, date string) {
		files := newfacts.Files()
		newfacts.Append(files, "prices.csv", price)
		newfacts.Append(files, "retirements.csv", date)
		if f, err := facts.ReadFS(files); err == nil {
			prices.Of(f).Rows("")
			models.Of(f).RetiringWithin(time.Hour)
		}
	})
}
