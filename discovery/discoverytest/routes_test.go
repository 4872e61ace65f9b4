package discoverytest_test

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
)

// refusals has each provider's response if the key is missing, or wrong and ends in
// -0000.
var refusals = map[discoverytest.Operation]struct {
	missing, wrong         int
	missingText, wrongText string
}{
	discoverytest.ListOpenAIModels: {
		401, 401, `"code":null,"message":"You didn't provide an API key.`,
		`"code":"invalid_api_key","message":"Incorrect API key provided: wrong-k***0000. You can find`,
	},
	discoverytest.ListDeepSeekModels: {
		401, 401, `Authentication Fails`,
		`{"code":"invalid_request_error","message":"Authentication Fails, Your api key: ****0000 is invalid","param":null,"type":"authentication_error"}`,
	},
	discoverytest.ListAnthropicModels: {
		401, 401, `{"message":"x-api-key header is required","type":"authentication_error"}`,
		`{"error":{"message":"invalid x-api-key","type":"authentication_error"},"request_id":"req_011CXexample","type":"error"}`,
	},
	discoverytest.ListGeminiModels: {
		400, 400, `"reason":"API_KEY_INVALID"`,
		`"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"`,
	},
	discoverytest.CloudBillingListSKUs: {
		403, 400, `"status":"PERMISSION_DENIED"`,
		`"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"`,
	},
	discoverytest.ListXAIModels: {
		401, 400, `"error":"No credentials provided"`,
		`{"code":"Client specified an invalid argument","error":"Incorrect API key provided: wr***00. You can obtain`,
	},
	discoverytest.ListXAILanguageModels: {
		401, 400, `"error":"No credentials provided"`,
		`{"code":"Client specified an invalid argument","error":"Incorrect API key provided: wr***00. You can obtain`,
	},
}

const wrongKey = "wrong-key-of-these-tests-0000"

// keyedOperations returns the operations that require a key.
func keyedOperations() map[discoverytest.Operation]endpoint {
	all := maps.Clone(endpoints)
	delete(all, catalog)
	return all
}

func TestAnyKeyIsAcceptedByDefault(t *testing.T) {
	t.Parallel()
	for op, e := range keyedOperations() {
		t.Run(string(op), func(t *testing.T) {
			t.Parallel()
			s, refusal := start(t), refusals[op]
			assert.Equal(t, 200, s.call(op, "").Status)
			assert.Equal(t, 200, s.call(op, "", e.keyHeader, e.keyPrefix+wrongKey).Status)
			r := s.callInvalid(op, "", e.keyHeader, "")
			assert.Equal(t, refusal.missing, r.Status)
			assert.Contains(t, r.Body, refusal.missingText)
		})
	}
}

func TestWrongKeyGetsTheErrorOfItsProvider(t *testing.T) {
	t.Parallel()
	for op, e := range keyedOperations() {
		t.Run(string(op), func(t *testing.T) {
			t.Parallel()
			s, refusal := start(t, discoverytest.WithKeys(map[discovery.Service]string{e.service: key})), refusals[op]
			assert.Equal(t, 200, s.call(op, "").Status)
			r := s.call(op, "", e.keyHeader, e.keyPrefix+wrongKey)
			assert.Equal(t, refusal.wrong, r.Status)
			assert.Contains(t, r.Body, refusal.wrongText)
			assert.NotContains(t, r.Body, wrongKey)
			for _, short := range []string{"x", "0000"} {
				r := s.call(op, "", e.keyHeader, e.keyPrefix+short)
				assert.Equal(t, refusal.wrong, r.Status)
				assert.NotContains(t, r.Body, short+" ", "short keys are redacted completely")
			}
		})
	}
}

func TestKeyInAnotherHeaderIsIgnored(t *testing.T) {
	t.Parallel()
	for op, e := range keyedOperations() {
		t.Run(string(op), func(t *testing.T) {
			t.Parallel()
			s := start(t)
			for _, header := range []string{"Authorization", "X-Api-Key", "X-Goog-Api-Key"} {
				for _, prefix := range []string{"", "Bearer "} {
					if op == discoverytest.ListAnthropicModels && header == "Authorization" && prefix == "Bearer " {
						continue // TestAnthropicTakesABearerToken
					}
					if header == e.keyHeader && (prefix == e.keyPrefix || prefix == "Bearer ") {
						continue
					}
					r := s.callInvalid(op, "", e.keyHeader, "", header, prefix+key)
					assert.Equal(t, refusals[op].missing, r.Status, "%s: %s", header, prefix)
				}
			}
			if e.keyHeader != "X-Goog-Api-Key" { // Google takes ?key= too
				assert.Equal(t, refusals[op].missing, s.callInvalid(op, "?key="+key, e.keyHeader, "").Status)
			}
		})
	}
}

// TestAnthropicTakesABearerToken checks the Authorization header, in which the TypeScript
// SDK sends an authToken. A key in X-Api-Key precedes it.
func TestAnthropicTakesABearerToken(t *testing.T) {
	t.Parallel()
	s := start(t, discoverytest.WithKeys(map[discovery.Service]string{discovery.ServiceAnthropic: key}))
	for _, test := range []struct {
		apiKey, token string
		want          int
	}{{"", "Bearer " + key, 200}, {"", key, 401}, {"", "Bearer " + wrongKey, 401}, {wrongKey, "Bearer " + key, 401}, {key, "Bearer " + wrongKey, 200}} {
		r, err := s.exchange(discoverytest.ListAnthropicModels, "", "X-Api-Key", test.apiKey, "Authorization", test.token)
		assert.Equal(t, test.apiKey == "", err != nil, "the document has the other header only")
		assert.Equal(t, test.want, r.Status, test)
		assert.NotContains(t, r.Body, key)
	}
}

func TestEachServiceHasItsOwnKey(t *testing.T) {
	t.Parallel()
	keys := map[discovery.Service]string{}
	for _, e := range endpoints {
		if e.service != "" {
			keys[e.service] = string(e.service) + "-key-of-these-tests"
		}
	}
	s := start(t, discoverytest.WithKeys(keys))
	for op, e := range endpoints {
		for service, one := range keys {
			if e.service == "" {
				continue
			}
			r := s.call(op, "", e.keyHeader, e.keyPrefix+one)
			assert.Equal(t, e.service == service, r.Status == 200, "%s with a key for %s", op, service)
		}
	}
	assert.Equal(t, 200, s.call(catalog, "").Status, "the catalog is public")
}
