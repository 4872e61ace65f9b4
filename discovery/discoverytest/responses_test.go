package discoverytest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
	"github.com/mesh-gateway/mesh-go/internal/test/nettest"
)

func TestRequestsReturnsEveryRequest(t *testing.T) {
	t.Parallel()
	s := start(t)
	assert.Empty(t, s.Requests())
	s.call(catalog, "", "X-Trace", "kept")
	for op, e := range endpoints {
		if e.keyHeader == "" {
			continue
		}
		s.call(op, "")
		all := s.Requests(op)
		require.Len(t, all, 1)
		r := all[0]
		assert.Equal(t, op, r.Operation)
		assert.Equal(t, "GET", r.Method)
		assert.Equal(t, e.path, r.Path, "without the base path")
		assert.Empty(t, r.Body)
		assert.Len(t, r.Keys, 1)
		assert.Equal(t, key, r.Keys[e.keyHeader].Reveal())
		assert.NotContains(t, r.Header, e.keyHeader)
		assert.Empty(t, r.QueryKeys)
	}
	first := s.Requests()[0]
	assert.Equal(t, catalog, first.Operation)
	assert.Equal(t, "kept", first.Header.Get("X-Trace"))
	assert.Empty(t, first.Keys, "the catalog is requested without a key")
	assert.Len(t, s.Requests(catalog, gemini), 2)
	s.call(gemini, "?pageSize=5")
	assert.Equal(t, url.Values{"pageSize": {"5"}}, s.Requests(gemini)[1].Query)
}

func TestFailedAndUnknownRequestsAreRecorded(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.Fail(catalog, discoverytest.Fault{HangUp: true})
	_, err := nettest.Get(s.http, s.request(t.Context(), catalog, ""))
	require.Error(t, err)
	s.callInvalid(anthropic, "", "X-Api-Key", "")
	require.Len(t, s.Requests(), 2)
	for _, base := range []string{"", "/openai", "/cloudbilling", "/openai/v1", "/catalog/v1"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+base+"/models?x=1", strings.NewReader("body"))
		require.NoError(t, err)
		r, err := nettest.Get(s.http, req)
		require.NoError(t, err)
		assert.Equal(t, 404, r.Status, "a wrong base URL fails")
		all := s.Requests("")
		last := all[len(all)-1]
		assert.Equal(t, "POST "+base+"/models body", last.Method+" "+last.Path+" "+last.Body, "the whole path of an unknown operation")
	}
}

func TestKeyInAQueryIsRecordedAndRedacted(t *testing.T) {
	t.Parallel()
	const accepted = "accepted-key-of-gemini"
	s := start(t, discoverytest.WithKeys(map[discovery.Service]string{discovery.ServiceGemini: accepted}))
	for query, name := range map[string]string{
		"?key=some-key":                "key",
		"?API_Key=some-key":            "API_Key",
		"?x-goog-api-key=some-key":     "x-goog-api-key",
		"?access_token=a&alt=json":     "access_token",
		"?trace=" + accepted:           "trace",
		"?trace=(" + accepted + ")":    "trace",
		"?trace=" + key:                "trace",
		"?a=1&a=" + key + "&pageToken": "a",
		"?" + key + "=1":               "[REDACTED]",
	} {
		s.callInvalid(gemini, query)
		all := s.Requests()
		last := all[len(all)-1]
		assert.Contains(t, last.QueryKeys, name, query)
		assert.Len(t, last.QueryKeys, 1, query)
		assert.Contains(t, last.Query[name], "[REDACTED]", query)
		for _, secret := range []string{accepted, key, "some-key"} {
			assert.NotContains(t, fmt.Sprintf("%+v", last), secret, query)
		}
	}
	s.call(gemini, "?pageToken=example", "X-Goog-Api-Key", accepted)
	assert.Empty(t, s.Requests()[9].QueryKeys, "a page token is not a key")
}

func TestKeyInAnyOtherPlaceIsRedacted(t *testing.T) {
	t.Parallel()
	s := start(t, discoverytest.WithKeys(map[discovery.Service]string{discovery.ServiceXAI: key}))
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/xai/"+key+"/x", strings.NewReader(`{"key":"`+key+`"}`))
	require.NoError(t, err)
	req.Header.Set("Cookie", "session="+key)
	_, err = nettest.Get(s.http, req)
	require.NoError(t, err)
	r := s.Requests()[0]
	assert.Equal(t, "/xai/[REDACTED]/x", r.Path)
	assert.Equal(t, `{"key":"[REDACTED]"}`, r.Body)
	assert.Equal(t, "session=[REDACTED]", r.Header.Get("Cookie"))
}

// A one-letter key must not redact that letter everywhere.
func TestShortKeyIsNotRedactedInOtherText(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.call(discoverytest.ListXAIModels, "", "Authorization", "Bearer m")
	r := s.Requests()[0]
	assert.Equal(t, "/v1/models", r.Path)
	assert.Equal(t, "m", r.Keys["Authorization"].Reveal())
	s.callInvalid(discoverytest.ListXAIModels, "?x=m", "Authorization", "Bearer m")
	assert.Equal(t, "m", s.Requests()[1].QueryKeys["x"].Reveal())
}

// A failing test prints its values. They must not contain a key, which may be a real one.
func TestKeysAreNeverPrinted(t *testing.T) {
	t.Parallel()
	keys := map[discovery.Service]string{}
	for _, e := range endpoints {
		if e.service != "" {
			keys[e.service] = key
		}
	}
	s := start(t, discoverytest.WithKeys(keys))
	for op := range endpoints {
		s.call(op, "")
		s.callInvalid(op, "?key="+key)
	}
	request := s.Requests(gemini)[0]
	require.Equal(t, key, request.Keys["X-Goog-Api-Key"].Reveal())
	for name, value := range map[string]any{
		"request": request, "pointer": &request, "requests": s.Requests(), "server": s.Server, "options": s.Options(),
	} {
		var log bytes.Buffer
		slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "value", value)
		slog.New(slog.NewTextHandler(&log, nil)).Info("x", "value", value)
		marshalled, _ := json.Marshal(value) // options are functions, which have no JSON
		printed := fmt.Sprintf("%v %+v %#v %s %q %x", value, value, value, value, value, value)
		for _, shown := range []string{printed, string(marshalled), log.String()} {
			assert.NotContains(t, shown, key, name)
			assert.NotContains(t, shown, fmt.Sprintf("%x", key), name)
		}
	}
	assert.Equal(t, "discovery server at "+s.URL, fmt.Sprint(s.Server))
}
