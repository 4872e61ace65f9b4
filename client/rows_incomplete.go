package client

import (
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"strings"
)

// ErrIncomplete matches the error of a list of which the gateway has more rows than the response: it has a next_cursor, or a Link
// header with rel="next". Today's gateways have neither. The error is a [*RowError] without ID and Name, beside the rows that came. A
// list with as many rows as the caller's Limit is complete.
var ErrIncomplete = errors.New("the list is incomplete: the gateway has more rows than this response")

// nextLink matches a Link header that names a next page.
var nextLink = regexp.MustCompile(`(?i);\s*rel\s*=\s*("([^"]*\s)?next(\s[^"]*)?"|next\s*($|[;,]))`)

// withIncomplete adds an error to err if the response has fewer rows than the gateway, and than limit. extra has the unknown fields of the
// list.
func withIncomplete(err error, header http.Header, extra map[string]json.RawMessage, rows int, limit *int64) error {
	if withoutRowErrors(err) != nil || limit != nil && int64(rows+len(rowErrors(err))) >= *limit || !hasMore(header, extra) {
		return err
	}
	return errors.Join(err, &RowError{Err: ErrIncomplete})
}

func hasMore(header http.Header, extra map[string]json.RawMessage) bool {
	switch string(extra["next_cursor"]) {
	case "", "null", `""`, "false":
		return nextLink.MatchString(strings.Join(header.Values("Link"), ", "))
	}
	return true
}
