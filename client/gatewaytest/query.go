package gatewaytest

import (
	"fmt"
	"math/big"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// queryFields reads the parameters of a query and collects an issue for each that is invalid.
type queryFields struct {
	query  url.Values
	issues []issue
}

func (f *queryFields) add(i issue, field string) {
	i.Loc, i.Input = []any{"query", field}, f.query.Get(field)
	f.issues = append(f.issues, i)
}

// limit returns a number of rows from 1 to highest.
func (f *queryFields) limit(standard, highest int64) int64 {
	if !f.query.Has("limit") {
		return standard
	}
	n, bad := parseInteger(f.query.Get("limit"))
	switch {
	case bad != nil:
		f.add(*bad, "limit")
	case n.Sign() <= 0:
		f.add(issue{
			Type: "greater_than_equal", Msg: "Input should be greater than or equal to 1", Ctx: object{"ge": 1},
		}, "limit")
	case n.Cmp(big.NewInt(highest)) > 0:
		f.add(issue{
			Type: "less_than_equal", Ctx: object{"le": highest},
			Msg: fmt.Sprintf("Input should be less than or equal to %d", highest),
		}, "limit")
	default:
		return n.Int64()
	}
	return 0
}

func (f *queryFields) boolean(field string, standard bool) bool {
	if !f.query.Has(field) {
		return standard
	}
	text := strings.ToLower(f.query.Get(field))
	if slices.Contains([]string{"1", "true", "yes", "on", "t", "y"}, text) {
		return true
	}
	if !slices.Contains([]string{"0", "false", "no", "off", "f", "n"}, text) {
		f.add(issue{Type: "bool_parsing", Msg: "Input should be a valid boolean, unable to interpret input"}, field)
	}
	return false
}

// equal reports whether a row has the value of a parameter. An empty parameter fits every value.
func equal(query url.Values, field string, value *string) bool {
	wanted := query.Get(field)
	return wanted == "" || value != nil && *value == wanted
}

// contains reports whether text has a part like the value of a parameter, as LIKE of SQL compares it: % is any text, _ is any
// character, and the case of ASCII letters makes no difference. An empty parameter fits every text.
func contains(query url.Values, field, text string) bool {
	pattern := regexp.QuoteMeta(lower(query.Get(field)))
	return regexp.MustCompile("(?s)" + strings.NewReplacer("%", ".*", "_", ".").Replace(pattern)).MatchString(lower(text))
}

// lower lowers ASCII letters only, and replaces bytes that are not UTF-8.
func lower(text string) string {
	return strings.Map(func(c rune) rune {
		if 'A' <= c && c <= 'Z' {
			return c + 'a' - 'A'
		}
		return c
	}, text)
}
