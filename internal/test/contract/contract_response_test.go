package contract_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/internal/test/contract"
)

const (
	inJSON  = "application/json"
	receipt = `{"id":1,"from_node":"a","to_node":"b","kind":"fyi","created_at":"2026-11-21T08:28:39+00:00"}`
)

func TestValidResponsesPass(t *testing.T) {
	t.Parallel()
	checker := newChecker(t)
	for name, e := range map[string]contract.Exchange{
		"enabled as a boolean":      answered(request(t, "GET", "/peers", ""), 200, inJSON, `{"peers":[{"name":"a","enabled":false}]}`),
		"enabled as a number":       answered(request(t, "GET", "/peers", ""), 200, inJSON, `{"peers":[{"name":"a","enabled":0}]}`),
		"bare array":                answered(request(t, "GET", "/peers", ""), 200, inJSON, `[{"name":"a"}]`),
		"null in an unknown field":  answered(request(t, "GET", "/peers", ""), 200, inJSON, `[{"name":"a","x_owner":null,"more":{"deep":null}}]`),
		"task id as a text":         answered(request(t, "GET", "/messages?to=b", ""), 200, inJSON, `[`+receipt[:len(receipt)-1]+`,"related_task_id":"task-1"}]`),
		"JSON with a charset":       answered(request(t, "POST", "/messages", goodMessage), 200, "application/json; charset=utf-8", receipt),
		"health as text":            answered(request(t, "GET", "/health", ""), 200, "text/plain; charset=utf-8", "ok"),
		"no content after a read":   answered(request(t, "POST", "/messages/1/read", ""), 204, "", ""),
		"page of a proxy":           answered(request(t, "GET", "/peers", ""), 502, "text/html", "<html>Bad Gateway</html>"),
		"refusal with another code": answered(request(t, "GET", "/peers", ""), 418, inJSON, `{"detail":"teapot"}`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.NoError(t, checker.Response(e))
		})
	}
}

func TestInvalidResponsesAreRejected(t *testing.T) {
	t.Parallel()
	checker := newChecker(t)
	for name, test := range map[string]struct {
		exchange contract.Exchange
		want     string
	}{
		"row without its name":        {answered(request(t, "GET", "/peers", ""), 200, inJSON, `{"peers":[{"url":"http://a"}]}`), `property "name" is missing`},
		"row with null for its name":  {answered(request(t, "GET", "/peers", ""), 200, inJSON, `[{"name":null}]`), "not nullable"},
		"enabled 2":                   {answered(request(t, "GET", "/peers", ""), 200, inJSON, `{"peers":[{"name":"a","enabled":2}]}`), `"/peers/0/enabled"`},
		"peers null":                  {answered(request(t, "GET", "/peers", ""), 200, inJSON, `{"peers":null}`), `"/peers": Value is not nullable`},
		"peers missing":               {answered(request(t, "GET", "/peers", ""), 200, inJSON, `{}`), `property "peers" is missing`},
		"null":                        {answered(request(t, "GET", "/peers", ""), 200, inJSON, `null`), "not nullable"},
		"receipt without an id":       {answered(request(t, "POST", "/messages", goodMessage), 200, inJSON, `{"from_node":"a"}`), `property "id" is missing`},
		"id as a text":                {answered(request(t, "GET", "/messages?to=a", ""), 200, inJSON, `{"messages":[{"id":"1"}]}`), `"/messages/0/id"`},
		"not JSON":                    {answered(request(t, "GET", "/peers", ""), 200, inJSON, `<html>`), "failed to decode response body"},
		"list as a page":              {answered(request(t, "GET", "/peers", ""), 200, "text/html", `<html>`), `"text/html"`},
		"no content type":             {answered(request(t, "GET", "/peers", ""), 200, "", `{"peers":[]}`), "Content-Type"},
		"refusal of a wrong shape":    {answered(request(t, "GET", "/peers", ""), 422, inJSON, `{"detail":[{"type":"x"}]}`), `"/detail"`},
		"refusal of an unknown type":  {answered(request(t, "GET", "/peers", ""), 500, "text/csv", `a,b`), `"text/csv"`},
		"undocumented success":        {answered(request(t, "GET", "/peers", ""), 201, inJSON, `{"peers":[]}`), "status is not documented"},
		"no content":                  {answered(request(t, "GET", "/peers", ""), 204, "", ""), "status is not documented"},
		"redirect":                    {answered(request(t, "GET", "/peers", ""), 302, "text/html", "elsewhere"), "response 302 to GET /peers: status is not documented"},
		"redirect that keeps methods": {answered(request(t, "GET", "/peers", ""), 307, "text/html", "elsewhere"), "status is not documented"},
		"unknown path":                {answered(request(t, "GET", "/nowhere", ""), 404, inJSON, `{"detail":"Not Found"}`), "no matching operation"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := checker.Response(test.exchange)
			require.ErrorContains(t, err, test.want)
			assert.Less(t, len(err.Error()), 600, "an error contains neither the schema nor the value")
		})
	}
}
