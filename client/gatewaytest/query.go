package gatewaytest

import (
	"fmt"
	"math/big"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// queryFields returns the parameters of a query.
func queryFields(query url.Values) *fields {
	values := object{}
	for name := range query {
		values[name] = query.Get(name)
	}
	return &fields{place: "query", values: values}
}

// limit returns a number of rows from 1 to highest.
func (f *fields) limit(standard, highest int64) int64 {
	n := f.integer("limit")
	switch {
	case n == nil:
		return standard
	case n.Sign() <= 0:
		f.add("limit", issue{Type: "greater_than_equal", Msg: "Input should be greater than or equal to 1", Ctx: object{"ge": 1}})
	case n.Cmp(big.NewInt(highest)) > 0:
		message := fmt.Sprintf("Input should be less than or equal to %d", highest)
		f.add("limit", issue{Type: "less_than_equal", Msg: message, Ctx: object{"le": highest}})
	}
	return n.Int64()
}

func (f *fields) boolean(field string, standard bool) bool {
	text, given := f.values[field].(string)
	text = strings.ToLower(text)
	switch {
	case !given:
		return standard
	case slices.Contains([]string{"1", "true", "yes", "on", "t", "y"}, text):
		return true
	case !slices.Contains([]string{"0", "false", "no", "off", "f", "n"}, text):
		f.add(field, issue{Type: "bool_parsing", Msg: "Input should be a valid boolean, unable to interpret input"})
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
