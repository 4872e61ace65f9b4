// Package conformance_test holds docs/conformance.md to what there is: every name and every test in it exists, and everything
// that users can call is in it. There is no other code here.
package conformance_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const conformanceTable = "../../docs/conformance.md"

// conformanceRow is one line of a table in docs/conformance.md.
type conformanceRow struct {
	line int
	text string
}

// conformanceRows reads the lines of all tables, without their heads.
func conformanceRows(t *testing.T) (rows []conformanceRow) {
	t.Helper()
	text, err := os.ReadFile(conformanceTable)
	require.NoError(t, err)
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "|") && line != "| document | code | tests |" && line != "|---|---|---|" {
			rows = append(rows, conformanceRow{n, line})
		}
	}
	return rows
}

var (
	// A cell is a list of references, or says why there is none.
	cellOfReferences = regexp.MustCompile("^`[^`]+`(?:, `[^`]+`)*$")
	cellWithReason   = regexp.MustCompile(`^none: \S`)
	reference        = regexp.MustCompile("`([^`]+)`")
)

// cells returns the three cells of a row; false when it has not three, or one of them is empty.
func (r conformanceRow) cells() (rule, code, tests string, ok bool) {
	parts := strings.Split(strings.Trim(r.text, "|"), "|")
	if len(parts) != 3 {
		return "", "", "", false
	}
	rule, code, tests = strings.TrimSpace(parts[0]), strings.TrimSpace(parts[1]), strings.TrimSpace(parts[2])
	return rule, code, tests, rule != "" && code != "" && tests != ""
}

// references lists what stands in backquotes in a cell.
func references(cell string) (names []string) {
	for _, match := range reference.FindAllStringSubmatch(cell, -1) {
		names = append(names, match[1])
	}
	return names
}

// faults says what is wrong with a row: cells that are missing or not of the form, and names that do not exist.
func (r conformanceRow) faults(source *sourceIndex) (faults []string) {
	_, code, tests, ok := r.cells()
	if !ok {
		return []string{"has not three cells with something in each"}
	}
	for _, column := range []struct {
		cell   string
		exists func(string) bool
	}{{code, source.hasCode}, {tests, source.hasTest}} {
		if cellWithReason.MatchString(column.cell) {
			continue
		}
		if !cellOfReferences.MatchString(column.cell) {
			faults = append(faults, fmt.Sprintf("%q is neither a list of `references` nor \"none: reason\"", column.cell))
		}
		for _, name := range references(column.cell) {
			if !column.exists(name) {
				faults = append(faults, name+" does not exist")
			}
		}
	}
	return faults
}

func TestTheConformanceTableNamesWhatExists(t *testing.T) {
	t.Parallel()
	source := readSource(t)
	rows := conformanceRows(t)
	require.Greater(t, len(rows), 200)
	for _, row := range rows {
		for _, fault := range row.faults(source) {
			t.Errorf("%s:%d: %s", conformanceTable, row.line, fault)
		}
	}
}

// What users can call is in the table: whoever adds a function says which rule it carries, and which test proves it.
func TestEveryExportedFunctionIsInTheConformanceTable(t *testing.T) {
	t.Parallel()
	source := readSource(t)
	named := make(map[string]bool)
	for _, row := range conformanceRows(t) {
		_, code, _, _ := row.cells()
		for _, name := range references(code) {
			named[name] = true
		}
	}
	functions := source.exportedFunctions("client", "discovery", "scan")
	require.Greater(t, len(functions), 80)
	for _, name := range functions {
		assert.True(t, named[name], "%s does not name %s", conformanceTable, name)
	}
}

// A check that finds nothing must not be one that looks at nothing.
func TestTheConformanceCheckSeesBadRows(t *testing.T) {
	t.Parallel()
	source := readSource(t)
	const code, tests = "`client.MeshClient.Fetch`", "`client: TestG12LimitsOfTheInbox`"
	for text, want := range map[string]string{
		"| a rule | " + code + " | " + tests + " |":                                             "",
		"| a rule | none: because | none: because |":                                            "",
		"| a field behind an alias | `client.MeshPeer.LastSeen` | " + tests + " |":              "",
		"| a method behind an alias | `client.Secret.Reveal` | `client: FuzzX`, " + tests + "|": "client: FuzzX does not exist",
		"| a generic type | `discovery.ReconciliationReport.SVG` | " + tests + " |":             "",
		"| a constant | `client.KindFYI`, `scan.WithLiveTokens` | " + tests + " |":              "scan.WithLiveTokens does not exist",
		"| no such method | `client.MeshClient.Fetched` | " + tests + " |":                      "client.MeshClient.Fetched does not exist",
		"| no such field | `client.MeshPeer.Age` | " + tests + " |":                             "client.MeshPeer.Age does not exist",
		"| no such package | `server.New` | " + tests + " |":                                    "server.New does not exist",
		"| not exported | `client.guard` | " + tests + " |":                                     "client.guard does not exist",
		"| no such test | " + code + " | `client: TestG21` |":                                   "client: TestG21 does not exist",
		"| a test of another package | " + code + " | `scan: TestG12LimitsOfTheInbox` |":        "scan: TestG12LimitsOfTheInbox does not exist",
		"| no test | " + code + " | `client: TestMain` |":                                       "client: TestMain does not exist",
		"| a helper is no test | " + code + " | `client: connect` |":                            "client: connect does not exist",
		"| an empty cell | " + code + " |  |":                                                   "has not three cells",
		"|  | " + code + " | " + tests + " |":                                                   "has not three cells",
		"| two cells | " + code + " |":                                                          "has not three cells",
		"| no reason | none: | " + tests + " |":                                                 "neither a list",
		"| no backquotes | client.MeshClient.Fetch | " + tests + " |":                           "neither a list",
		"| words beside | " + code + " and more | " + tests + " |":                              "neither a list",
	} {
		faults := strings.Join(conformanceRow{1, text}.faults(source), "; ")
		if want == "" {
			assert.Empty(t, faults, text)
			continue
		}
		assert.Contains(t, faults, want, text)
	}
}
