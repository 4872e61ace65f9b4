package proxy

import (
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/meter"
)

// refuse counts the refusal of a budget and gives it the form that ends the program: its body ends with io.EOF, since its error cannot
// cross the proxy and would look like a broken connection, which programs try again.
func (m *Meters) refuse(res *http.Response) error {
	text, err := io.ReadAll(res.Body)
	var refused *meter.BudgetError
	if !errors.As(err, &refused) {
		return err
	}
	m.Refused.Add(1)
	if codex(res.Request) {
		res.StatusCode, res.Status = http.StatusBadRequest, ""
	}
	res.Body, res.ContentLength = io.NopCloser(strings.NewReader(string(text))), int64(len(text))
	res.Header.Set("Content-Length", strconv.Itoa(len(text)))
	return nil
}

// codex reports whether Codex sent a request. It repeats a call five times after the status 402, and ends at 400; all other programs
// that were tried end at 402, too.
func codex(req *http.Request) bool {
	const name = "codex"
	agent := req.UserAgent()
	return len(agent) >= len(name) && strings.EqualFold(agent[:len(name)], name)
}
