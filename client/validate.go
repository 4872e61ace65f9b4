package client

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mesh-gateway/mesh-go/internal/argument"
	"github.com/mesh-gateway/mesh-go/internal/secret"
)

// Gateway limits. Lengths are in characters.
const (
	maxContent        = 200_000
	maxIdempotencyKey = 128
	maxLimit          = 1000
)

const liveTokenRule = 0

var invalid, invalidValue = argument.Hidden, argument.Plain

// isNodeName avoids a regular expression, because compiling it would slow down every
// program start.
func isNodeName(name string) bool {
	const letters, digits = "abcdefghijklmnopqrstuvwxyz", "0123456789"
	return len(name) >= 2 && len(name) <= 64 && strings.Trim(name, letters+digits+"-") == "" && strings.Contains(letters, name[:1]) &&
		!strings.HasSuffix(name, "-")
}

// ValidNodeName returns a [*ValueError] unless name has the syntax of a node name: 2 to
// 64 lower-case letters, digits and hyphens, the first a letter and the last not a
// hyphen. It does not look the name up.
func ValidNodeName(name string) error { return new(redactor).checkNodeName("name", name) }

func (r *redactor) checkNodeName(field, name string) error {
	if isNodeName(name) {
		return nil
	}
	return r.nameError(field, name,
		"must be 2 to 64 lower-case letters, digits and hyphens, start with a letter and not end with a hyphen")
}

// nameError shows the value only if it looks like a name or kind, because it may be a
// token passed by mistake.
func (r *redactor) nameError(field, value, reason string) error {
	if shown := r.show(value); shown == value {
		return invalidValue(field, value, reason)
	}
	return invalid(field, reason)
}

// show returns name if it looks like one, otherwise a placeholder.
func (r *redactor) show(name string) string {
	if (isNodeName(name) || nameLike(name) || uuid.MatchString(name)) && r.redact(name) == name {
		return name
	}
	return secret.Redacted
}

// uuid matches thread ids.
var uuid = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// nameLike reports whether text may be a misspelled name or kind. Tokens are longer.
func nameLike(text string) bool {
	return text != "" && utf8.RuneCountInString(text) <= 24 && !strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !strings.ContainsRune(" ._-", r)
	})
}

// checkOwnName rejects names that would not arrive unchanged. Other invalid names are
// only logged.
func checkOwnName(name string) error {
	switch {
	case strings.TrimSpace(name) == "":
		return invalid("node", "must not be empty")
	case !utf8.ValidString(name):
		return invalid("node", "must be valid UTF-8")
	case strings.ContainsFunc(name, func(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp) }):
		return invalid("node", "must not contain control characters or line breaks")
	}
	return nil
}

// checkText rejects invalid UTF-8. encoding/json would silently replace it: the recipient
// would read something else, and two idempotency keys could become equal.
func checkText(field, text string) error {
	if utf8.ValidString(text) {
		return nil
	}
	return invalid(field, "must be valid UTF-8")
}

// checkTexts takes pairs: a field name and its value.
func checkTexts(pairs ...string) error {
	for ; len(pairs) > 0; pairs = pairs[2:] { // slices.Chunk allocates
		if err := checkText(pairs[0], pairs[1]); err != nil {
			return err
		}
	}
	return nil
}

// checkPathSegment rejects text that would not arrive as a single path segment.
func checkPathSegment(field, text string) error {
	switch {
	case text == "" || text == "." || text == "..":
		return invalid(field, "must be a name or an id")
	case strings.ContainsFunc(text, unicode.IsControl):
		return invalid(field, "must not contain control characters")
	}
	return checkText(field, text)
}

func checkMessageID(id int64) error {
	if id < 1 {
		return invalidValue("id", id, "must be positive")
	}
	return nil
}

func checkLimit(limit, highest int) error {
	if limit < 0 || limit > highest {
		return invalidValue("Limit", limit, fmt.Sprintf("must be between 1 and %d, or 0 for the gateway's default", highest))
	}
	return nil
}

func (r *redactor) checkKind(field string, kind Kind) error {
	if kind.Valid() {
		return nil
	}
	return r.nameError(field, string(kind), "must be fyi, question, answer, status or unblock")
}

func (r *redactor) checkMessage(to string, req SendRequest) error {
	if err := cmp.Or(r.checkKind("Kind", req.Kind), r.checkNodeName("To", to),
		checkTexts("Content", req.Content, "RelatedTaskID", req.RelatedTaskID, "ThreadID", req.ThreadID, "IdempotencyKey", req.IdempotencyKey)); err != nil {
		return err
	}
	switch n := utf8.RuneCountInString(req.Content); {
	case n == 0:
		return invalid("Content", "must not be empty")
	case n > maxContent:
		return invalid("Content", "must have at most 200000 characters")
	case req.RelatedTaskID != "" && overflows(req.RelatedTaskID):
		return invalid("RelatedTaskID", "must fit into a signed 64-bit integer")
	}
	return cmp.Or(
		checkIdempotencyKey(req.IdempotencyKey), r.checkProperties(req.Extra, sendNames), checkAllowRules(req.AllowRules))
}

func checkAllowRules(rules []int) error {
	if slices.Contains(rules, liveTokenRule) {
		return invalidValue("AllowRules", liveTokenRule, "must not contain 0, the rule for live tokens")
	}
	return nil
}

// overflows reports whether text is an integer beyond 64 bits. The gateway would answer
// 500.
func overflows(text string) bool {
	_, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	return errors.Is(err, strconv.ErrRange)
}

func (req RegisterRequest) check() error {
	_, err := encodeJSON("Capabilities", req.Capabilities)
	return cmp.Or(err, checkText("URL", req.URL))
}

// checkToken rejects a token that is invalid in a header. net/http would reject it, too,
// but show it in the error.
func checkToken(token string) error {
	for i := range len(token) {
		if c := token[i]; c <= ' ' || c >= 0x7f {
			return invalid("token", "must not contain spaces, control characters or non-ASCII characters")
		}
	}
	return nil
}

// parseGatewayURL validates a base URL and removes trailing slashes. Its errors do not
// show the URL, whose user info or query may be a credential.
func parseGatewayURL(text string) (string, error) {
	if text == "" {
		return "", invalid("gatewayURL", "is required: pass WithGatewayURL or set MESH_GATEWAY_URL")
	}
	u, err := url.Parse(text)
	if err != nil {
		return "", invalid("gatewayURL", "cannot be parsed; a valid one is http://127.0.0.1:8787/gateway")
	}
	// The generated client accepts a URL with a query, but drops its base path. It also
	// accepts one without a scheme, and fails at the first request.
	port, err := strconv.ParseUint(cmp.Or(u.Port(), "80"), 10, 16)
	var reason string
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		reason = "must start with http:// or https://"
	case u.Hostname() == "":
		reason = "must have a host"
	case err != nil || port == 0:
		reason = "has an invalid port"
	case u.User != nil:
		reason = "must not contain user info; pass the token with WithToken"
	case strings.ContainsAny(text, "?#"):
		reason = "must not contain a query or a fragment"
	default:
		return strings.TrimRight(u.String(), "/"), nil
	}
	return "", invalid("gatewayURL", reason)
}

// checkAliases rejects an empty alias: it would apply to every empty argument.
func (r *redactor) checkAliases(aliases map[string]string) error {
	for alias, name := range aliases {
		if alias == "" {
			return invalid("aliases", "must not have an empty name")
		}
		if err := r.checkNodeName("aliases", name); err != nil {
			return err
		}
	}
	return nil
}
