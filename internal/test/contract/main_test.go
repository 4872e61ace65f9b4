package contract_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/internal/test/contract"
)

// recorded is an exchange with a real gateway, from testdata/gateway.
type recorded struct {
	Request struct {
		Method, Path string
		Body         json.RawMessage
	}
	Response struct {
		Status      int
		ContentType string `json:"content_type"`
		Body        json.RawMessage
		BodyText    string `json:"body_text"`
	}
}

// recordings maps file names without .json to recordings.
func recordings(t *testing.T) map[string]recorded {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "gateway", "*.json"))
	require.NoError(t, err)
	all := make(map[string]recorded)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var r recorded
		require.NoError(t, json.Unmarshal(text, &r), file)
		all[strings.TrimSuffix(filepath.Base(file), ".json")] = r
	}
	return all
}

func newChecker(t *testing.T) *contract.Checker {
	t.Helper()
	checker, err := contract.New("gateway")
	require.NoError(t, err)
	return checker
}

// request returns an exchange without a response. It has a bearer token, and sends any
// body as JSON.
func request(t *testing.T, method, path, body string) contract.Exchange {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, "http://127.0.0.1"+path, nil)
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+strings.Repeat("example.", 3))
	e := contract.Exchange{Request: req}
	if body != "" {
		e.RequestBody = []byte(body)
		req.Header.Set("Content-Type", "application/json")
	}
	return e
}

func answered(e contract.Exchange, status int, contentType, body string) contract.Exchange {
	e.Status, e.ResponseBody = status, []byte(body)
	e.Header = http.Header{}
	if contentType != "" {
		e.Header.Set("Content-Type", contentType)
	}
	return e
}

func bodyOrNothing(body json.RawMessage) string {
	if string(body) == "null" {
		return ""
	}
	return string(body)
}
