package faults_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
)

// record returns good responses to an operation's requests: recorded from a real gateway,
// or from discoverytest. Lists keep only their first and last element, so that null fits
// in every place.
func (op *operation) record(t *testing.T) []reply {
	t.Helper()
	if op.example != nil {
		e := op.example(t, recordings)
		op.text, op.integer, op.object = e.Text, e.Integer, e.Object
		for _, place := range e.Required {
			op.nulls[place] = decode
		}
		return []reply{{"application/json", encoded(t, short(parse(e.Body)))}}
	}
	if op.mesh != nil {
		return recorded(t, op.recordings)
	}
	server := discoverytest.Start(pageSize(op)...)
	defer server.Close()
	var replies []reply
	between := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := forward(t, server.URL+op.base(), r)
		if op.dated[0] != "" {
			answer.body = replace(answer.body, path{"data", 0, op.dated[0]}, strconv.Quote(op.dated[1]))
		}
		replies = append(replies, answer)
		_, _ = w.Write(answer.body)
	}))
	defer between.Close()
	others := newOthers()
	defer others.Close()
	options := append(pointTo(others.URL), op.at(between.URL)...)
	d, err := discovery.New(append(options, discovery.WithLogger(silent))...)
	require.NoError(t, err)
	_, err = op.discover(t.Context(), d, longestTrial)
	require.NoError(t, err, op.name)
	require.Len(t, replies, 1+max(op.skip, min(op.pageSize, 1)), "%s: requests to the failing service", op.name)
	return replies
}

func pageSize(op *operation) []discoverytest.Option {
	if op.pageSize == 0 {
		return nil
	}
	return []discoverytest.Option{discoverytest.WithPageSize(op.pageSize)}
}

// base is the path where the test server has the operation's service.
func (op *operation) base() string {
	if op.service == "" {
		return "/catalog"
	}
	return "/" + string(op.service)
}

// at sends the operation's service to url.
func (op *operation) at(url string) []discovery.Option {
	if op.service == "" {
		return []discovery.Option{discovery.WithCatalogURL(url)}
	}
	return []discovery.Option{discovery.WithBaseURL(op.service, url)}
}

// pointTo sends every service to one server.
func pointTo(url string) []discovery.Option {
	options := []discovery.Option{discovery.WithCatalogURL(url + "/catalog")}
	for _, service := range []discovery.Service{
		discovery.ServiceOpenAI, discovery.ServiceDeepSeek, discovery.ServiceAnthropic, discovery.ServiceGemini,
		discovery.ServiceCloudBilling, discovery.ServiceXAI, discovery.ServiceXAIManagement,
	} {
		options = append(options, discovery.WithBaseURL(service, url))
	}
	return options
}

// newOthers serves everything but the fault: the catalog is down, and all lists are
// empty.
func newOthers() *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/catalog") {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		_, _ = io.WriteString(w, `{"data":[],"models":[],"has_more":false}`)
	}))
}

func forward(t *testing.T, base string, r *http.Request) reply {
	t.Helper()
	request, err := http.NewRequestWithContext(r.Context(), r.Method, base+r.URL.RequestURI(), r.Body)
	require.NoError(t, err)
	request.Header = r.Header.Clone()
	request.Header.Del("Accept-Encoding")
	answer, err := http.DefaultTransport.RoundTrip(request)
	require.NoError(t, err)
	defer answer.Body.Close()
	require.Equal(t, http.StatusOK, answer.StatusCode, r.URL)
	body, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return reply{answer.Header.Get("Content-Type"), encoded(t, short(parse(body)))}
}

const recordings = "../contract/testdata/gateway"

func recorded(t *testing.T, names []string) []reply {
	t.Helper()
	var replies []reply
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(recordings, name+".json"))
		require.NoError(t, err)
		var exchange struct {
			Response struct {
				ContentType string `json:"content_type"`
				Body        json.RawMessage
			}
		}
		require.NoError(t, json.Unmarshal(text, &exchange))
		replies = append(replies, reply{exchange.Response.ContentType, encoded(t, short(parse(exchange.Response.Body)))})
	}
	return replies
}

// short keeps only the first and last element in every list.
func short(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			v[name] = short(member)
		}
	case []any:
		if len(v) > 2 {
			v = []any{v[0], v[len(v)-1]}
		}
		for i := range v {
			v[i] = short(v[i])
		}
		return v
	}
	return value
}

func encoded(t *testing.T, value any) []byte {
	t.Helper()
	text, err := json.Marshal(value)
	require.NoError(t, err)
	return text
}
