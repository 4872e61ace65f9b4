package gatewaytest_test

import (
	"encoding/json"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

// The reasons and positions are those of Python's json module.
func TestInvalidJSONIsReportedWithItsPosition(t *testing.T) {
	t.Parallel()
	s := start(t)
	for body, want := range map[string]struct {
		position int
		reason   string
	}{
		" ":                    {1, "Expecting value"},
		"+1":                   {0, "Expecting value"},
		"[1,]":                 {3, "Expecting value"},
		`{"a":`:                {5, "Expecting value"},
		"{":                    {1, "Expecting property name enclosed in double quotes"},
		`{"a":1,}`:             {7, "Expecting property name enclosed in double quotes"},
		`{"a" 1}`:              {5, "Expecting ':' delimiter"},
		`{"a":1]`:              {6, "Expecting ',' delimiter"},
		"[1 2]":                {3, "Expecting ',' delimiter"},
		`{"é":"a`:              {5, "Unterminated string starting at"},
		"\"a\n\"":              {2, "Invalid control character at"},
		`"\q"`:                 {1, `Invalid \escape`},
		`"\u12g4"`:             {2, `Invalid \uXXXX escape`},
		`"\u12`:                {2, `Invalid \uXXXX escape`},
		`"é" x`:                {4, "Extra data"},
		"01":                   {1, "Extra data"},
		"1.e5":                 {1, "Extra data"},
		`{"a":[1e+2,-0.5]} {}`: {18, "Extra data"},
		message("x") + "x":     {len(message("x")), "Extra data"},

		strings.Repeat("[", 10_001): {10_000, "Expecting value"},
	} {
		r := s.posted(body, "application/json")
		assert.Equal(t, 422, r.status, body)
		assert.JSONEq(t, `{"detail":[{"type":"json_invalid","loc":["body",`+strconv.Itoa(want.position)+`],"msg":"JSON decode error",
			"input":{},"ctx":{"error":`+strconv.Quote(want.reason)+`}}]}`, r.body, body)
	}
}

// The scanner accepts what encoding/json accepts, but for a byte order mark.
func FuzzJSONSyntax(f *testing.F) {
	for _, body := range []string{message("x"), `[1,{"a":[]}]`, "{\"\\ud83d\":-0.5e+1}", " null ", "[[1]", "\ufeff{}", "\"\xff\""} {
		f.Add(body)
	}
	g := gatewaytest.New(f)
	f.Fuzz(func(t *testing.T, body string) {
		r := httptest.NewRequest("POST", "/threads", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		g.Handler().ServeHTTP(w, r)
		valid := body == "" || json.Valid([]byte(strings.TrimPrefix(body, "\ufeff")))
		assert.Equal(t, valid, !strings.Contains(w.Body.String(), `"type":"json_invalid"`), "%q: %s", body, w.Body)
		g.ForgetRequests()
	})
}
