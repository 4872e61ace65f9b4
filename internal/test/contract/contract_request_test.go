package contract_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/internal/test/contract"
)

const goodMessage = `{"from_node":"node-a","to_node":"node-b","kind":"fyi","content":"hello"}`

func TestValidRequestsPass(t *testing.T) {
	t.Parallel()
	checker := newChecker(t)
	for _, e := range []contract.Exchange{
		request(t, "GET", "/messages?to=node-a&unread_only=true&limit=1000", ""),
		request(t, "GET", "/messages?to=node-a&limit=1", ""),
		request(t, "POST", "/messages", goodMessage),
		request(t, "POST", "/messages/9007199254740993/read", ""),
		request(t, "POST", "/peers/register", `{"name":"node-a","capabilities":{"any":[null,{"thing":1}]}}`),
		without(request(t, "GET", "/health", ""), "Authorization"),
	} {
		require.NoError(t, checker.Request(e), e.Request.URL)
	}
}

func TestInvalidRequestsAreRejected(t *testing.T) {
	t.Parallel()
	checker := newChecker(t)
	for name, test := range map[string]struct {
		exchange contract.Exchange
		want     []string
	}{
		"unknown query parameter": {request(t, "GET", "/messages?to=node-a&nonesuch=node-a", ""), []string{`unknown query parameter "nonesuch"`}},
		"empty query parameter":   {request(t, "GET", "/messages?to=", ""), []string{`"to" in query`, "minimum string length is 1"}},
		"limit 0":                 {request(t, "GET", "/messages?to=a&limit=0", ""), []string{`"limit" in query`, "at least 1"}},
		"limit in words":          {request(t, "GET", "/messages?to=a&limit=many", ""), []string{`"limit" in query`, "invalid integer"}},
		"unread_only in words":    {request(t, "GET", "/messages?to=a&unread_only=perhaps", ""), []string{`"unread_only" in query`}},
		"id in words":             {request(t, "POST", "/messages/x/read", ""), []string{`"msg_id" in path`}},
		"id 0":                    {request(t, "POST", "/messages/0/read", ""), []string{`"msg_id" in path`, "at least 1"}},
		"body that is a list":     {request(t, "POST", "/messages", `[]`), []string{"value must be an object"}},
		"field of a wrong type":   {request(t, "POST", "/peers/register", `{"name":7}`), []string{`"/name"`, "must be a string"}},
		"unknown field": {
			request(t, "POST", "/peers/register", `{"name":"a","colour":"red"}`), []string{`property "colour" is unsupported`},
		},
		"missing field": {
			request(t, "POST", "/messages", `{"from_node":"a","to_node":"b","kind":"fyi"}`), []string{`property "content" is missing`},
		},
		"body that is not JSON":   {request(t, "POST", "/messages", `{"from_node":`), []string{"failed to decode request body"}},
		"no body":                 {request(t, "POST", "/messages", ""), []string{"value is required but missing"}},
		"body of a GET":           {request(t, "GET", "/peers", `{}`), []string{"request body not allowed"}},
		"another content type":    {with(request(t, "POST", "/messages", goodMessage), "Content-Type", "text/plain"), []string{`"text/plain"`}},
		"no token":                {without(request(t, "GET", "/peers", ""), "Authorization"), []string{"no bearer token"}},
		"blank token":             {with(request(t, "GET", "/peers", ""), "Authorization", "Bearer "), []string{"no bearer token"}},
		"another kind of token":   {with(request(t, "GET", "/peers", ""), "Authorization", "Basic YTpi"), []string{"no bearer token"}},
		"unknown path":            {request(t, "GET", "/nowhere", ""), []string{"GET /nowhere", "no matching operation"}},
		"unknown method":          {request(t, "TRACE", "/peers", ""), []string{"TRACE /peers", "method not allowed"}},
		"every error is reported": {request(t, "GET", "/messages?limit=0&to=&nonesuch=a", ""), []string{`"nonesuch"`, `"to" in query`, `"limit" in query`}},
		"every fault of one body": {request(t, "POST", "/messages", `{"kind":"x","content":""}`), []string{`"/kind"`, `"/content"`, `"/from_node"`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := checker.Request(test.exchange)
			require.Error(t, err)
			for _, want := range test.want {
				assert.ErrorContains(t, err, want)
			}
			assert.Less(t, len(err.Error()), 600, "an error contains neither the schema nor the value")
		})
	}
}

func TestKeyIsRequiredInItsHeader(t *testing.T) {
	t.Parallel()
	for name, header := range map[string]string{"anthropic": "x-api-key", "gemini": "x-goog-api-key"} {
		checker, err := contract.New(name)
		require.NoError(t, err)
		path := map[string]string{"anthropic": "/v1/models", "gemini": "/v1beta/models"}[name]
		e := with(request(t, "GET", path, ""), "anthropic-version", "2023-06-01")
		require.ErrorContains(t, checker.Request(e), "no key in the header "+header, "a bearer token isn't enough")
		require.NoError(t, checker.Request(with(e, header, "example-key")))
		e.Request.URL.RawQuery = "key=example-key"
		require.ErrorContains(t, checker.Request(e), `unknown query parameter "key"`)
	}
}

// A check that accepted everything would pass all other tests.
func TestSecuritySchemeOfAnotherKindIsRejected(t *testing.T) {
	t.Parallel()
	for _, scheme := range []string{"{type: apiKey, in: query, name: key}", "{type: apiKey, in: cookie, name: key}", "{type: http, scheme: basic}"} {
		checker, err := contract.Load([]byte(`
openapi: 3.0.3
info: {title: Small, version: '1'}
security: [{odd: []}]
components: {securitySchemes: {odd: ` + scheme + `}}
paths: {/thing: {get: {responses: {default: {description: Anything.}}}}}
`))
		require.NoError(t, err)
		require.ErrorContains(t, checker.Request(request(t, "GET", "/thing", "")), `security scheme "odd" is of an unsupported kind`)
	}
}

// A checker that changes the request would hide what is really sent.
func TestValidationDoesNotChangeTheRequest(t *testing.T) {
	t.Parallel()
	e := request(t, "GET", "/messages?to=node-a", "")
	e.Request.Body = http.NoBody
	require.NoError(t, newChecker(t).Request(e))
	assert.Equal(t, "to=node-a", e.Request.URL.RawQuery)
	assert.Equal(t, http.NoBody, e.Request.Body)
}

// A default must not hide that the sender omitted a required field.
func TestDefaultDoesNotReplaceARequiredField(t *testing.T) {
	t.Parallel()
	checker, err := contract.Load([]byte(`
openapi: 3.0.3
info: {title: Small, version: '1'}
paths:
  /thing:
    post:
      requestBody:
        content:
          application/json:
            schema:
              type: object
              required: [size]
              properties:
                size: {type: integer, default: 5}
      responses: {default: {description: Anything.}}
`))
	require.NoError(t, err)
	require.NoError(t, checker.Request(request(t, "POST", "/thing", `{"size":5}`)))
	require.ErrorContains(t, checker.Request(request(t, "POST", "/thing", `{}`)), `property "size" is missing`)
}

func with(e contract.Exchange, name, value string) contract.Exchange {
	e.Request.Header.Set(name, value)
	return e
}

func without(e contract.Exchange, name string) contract.Exchange {
	e.Request.Header.Del(name)
	return e
}
