package meter_test

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/test/whole"
)

// platformExchange is a recorded exchange with a host that resells or hosts models.
type platformExchange struct {
	Name    string
	Request struct {
		Method, URL string
		Headers     map[string]string
		Body        string
	}
	Response struct {
		Status     int
		Headers    map[string]string
		Body       string
		BodyBase64 []byte `json:"body_base64"`
	}
	Expect platformRecord
}

// platformRecord is the record expected from a meter.
type platformRecord struct {
	Metered                              bool
	Platform                             string
	Provider                             models.Provider
	Location, Profile                    string
	Requested, Model, Upstream, ID, Mode string
	Stream, Complete, BYOK               bool
	Status                               int
	Requests                             map[string]int64
	Usage                                map[string]any
	USD                                  *string
	USDIf                                map[string]string `json:"usd_if"`
	UpstreamUSD                          string            `json:"upstream_usd"`
	Unchecked                            []string
	At                                   time.Time
}

func platformExchanges(t *testing.T) (list []*platformExchange) {
	t.Helper()
	return readPlatformExchanges(t, "platforms")
}

func readPlatformExchanges(t *testing.T, name string) (list []*platformExchange) {
	t.Helper()
	file, err := os.Open("../prices/testdata/" + name + ".jsonl.gz")
	require.NoError(t, err)
	defer file.Close()
	packed, err := gzip.NewReader(file)
	require.NoError(t, err)
	lines := bufio.NewScanner(packed)
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		e := new(platformExchange)
		require.NoError(t, json.Unmarshal(lines.Bytes(), e))
		list = append(list, e)
	}
	require.NoError(t, lines.Err())
	return list
}

// platforms with known hosts
var platforms = []string{"openrouter", "bedrock", "vertex", "azure"}

// endpoint returns an option for hosts outside the known platforms. Its provider is named
// after the platform.
func (e *platformExchange) endpoint() []meter.Option {
	if slices.Contains(platforms, e.Expect.Platform) {
		return nil
	}
	u, _ := url.Parse(e.Request.URL)
	end := meter.Endpoint{Host: u.Host, API: models.OpenAI, Provider: models.Provider(e.Expect.Platform)} // other APIs are recognized by path
	return []meter.Option{meter.WithEndpoint(end)}
}

func (e *platformExchange) body() []byte {
	if e.Response.BodyBase64 != nil {
		return e.Response.BodyBase64
	}
	return []byte(e.Response.Body)
}

func (e *platformExchange) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	sent, _ := io.ReadAll(r.Body)
	if string(sent) != e.Request.Body {
		http.Error(w, "another request", http.StatusTeapot)
		return
	}
	for name, value := range e.Response.Headers {
		w.Header().Set(name, value)
	}
	w.WriteHeader(e.Response.Status)
	_, _ = w.Write(e.body())
}

// loopback sends every request to one server, and cuts the responses into pieces of one
// size.
type loopback struct {
	transport *http.Transport
	size      int
}

func (l loopback) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.URL.Scheme = "http"
	res, err := l.transport.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(res.Body)
	_ = res.Body.Close()
	res.Body = io.NopCloser(&pieces{body, []int{l.size}, 0})
	return res, err
}

// replay sends an exchange's request through a meter and returns its records.
func (e *platformExchange) replay(t *testing.T, size int, opts ...meter.Option) (records []calls.Record) {
	t.Helper()
	server := httptest.NewServer(e)
	t.Cleanup(server.Close)
	dial := func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, server.Listener.Addr().String())
	}
	base := &http.Transport{DialContext: dial, DisableCompression: true}
	t.Cleanup(base.CloseIdleConnections)
	quiet := meter.WithLogger(slog.New(slog.DiscardHandler))
	m, err := meter.New(append(opts, quiet, meter.WithRecorder(func(r calls.Record) { records = append(records, r) }))...)
	require.NoError(t, err)
	req, err := http.NewRequestWithContext(t.Context(), e.Request.Method, e.Request.URL, strings.NewReader(e.Request.Body))
	require.NoError(t, err)
	for name, value := range e.Request.Headers {
		req.Header.Set(name, value)
	}
	res, err := m.Transport(loopback{base, size}).RoundTrip(req)
	require.NoError(t, err)
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	require.True(t, bytes.Equal(e.body(), body), "the bytes are unchanged")
	return records
}

func TestRecordsOfPlatforms(t *testing.T) {
	t.Parallel()
	list := platformExchanges(t)
	require.Len(t, list, 170)
	all := []int{1 << 20, 7, 1}
	seen := map[string]int{}
	for _, e := range list {
		sizes := all
		if !whole.Tests() { // similar exchanges take turns
			kind := fmt.Sprint(e.Expect.Platform, e.Expect.Stream)
			sizes = all[seen[kind]%2:][:1]
			seen[kind]++
		}
		if e.Name == "vertex-embedcontent-01" { // its model had no price when the expectations were computed
			usd := "0.0000022"
			e.Expect.USD = &usd
		}
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			for _, size := range sizes {
				records := e.replay(t, size, e.endpoint()...)
				if !e.Expect.Metered {
					require.Empty(t, records)
					continue
				}
				require.Len(t, records, 1)
				e.Expect.check(t, &records[0])
			}
			for kind, usd := range e.Expect.USDIf {
				if e.Expect.Platform == "azure" {
					records := e.replay(t, 1<<20, meter.WithEndpoint(meter.Endpoint{Platform: prices.PlatformAzure, Region: kind}))
					require.Len(t, records, 1)
					assert.Equal(t, kind, records[0].Region)
					checkCost(t, &records[0], e.Expect.At, &usd)
				}
			}
		})
	}
}

func (want *platformRecord) check(t *testing.T, r *calls.Record) {
	t.Helper()
	if slices.Contains(platforms, want.Platform) {
		assert.Equal(t, want.Provider, r.Provider)
		assert.Equal(t, want.Platform, r.Platform)
	} else {
		assert.EqualValues(t, want.Platform, r.Provider)
		assert.Empty(t, r.Platform)
	}
	if want.Platform != "azure" { // Azure's location comes from a header
		assert.Equal(t, want.Location, r.Region)
	}
	assert.Equal(t, want.Profile, r.Profile)
	assert.Equal(t, want.Model, r.Model)
	if want.Requested != "" {
		assert.Equal(t, want.Requested, cmp.Or(r.Requested, r.Model))
	}
	assert.Equal(t, want.Upstream, r.Upstream)
	assert.Equal(t, want.ID, r.ID)
	assert.Equal(t, want.Stream, r.Stream)
	assert.Equal(t, want.Status, r.Status)
	assert.Equal(t, want.Complete, !r.Incomplete)
	assert.Equal(t, want.BYOK, r.BYOK)
	assert.EqualValues(t, want.UpstreamUSD, r.UpstreamUSD)
	if !slices.Contains(want.Unchecked, "mode") {
		assert.Equal(t, want.Mode, r.Mode)
	}
	if !slices.Contains(want.Unchecked, "usage") {
		want.checkUsage(t, r)
	}
	if !slices.Contains(want.Unchecked, "usd") {
		checkCost(t, r, want.At, want.USD)
	}
}

func (want *platformRecord) checkUsage(t *testing.T, r *calls.Record) {
	t.Helper()
	if want.Usage == nil {
		assert.True(t, r.Incomplete)
		return
	}
	used, err := prices.ParseUsage(cmp.Or(models.Provider(r.API), r.Provider), r.Usage)
	require.NoError(t, err)
	text, err := json.Marshal(withoutMedia(used))
	require.NoError(t, err)
	var counts map[string]any
	require.NoError(t, json.Unmarshal(text, &counts))
	for name, count := range want.Usage {
		assert.Equal(t, count, counts[name], name)
	}
	if len(want.Requests) > 0 || len(r.ToolUses) > 0 {
		assert.Equal(t, want.Requests, r.ToolUses)
	}
}

// checkCost checks that a record costs usd if it's repriced for that time (nil: unknown),
// and keeps its cost at its own time.
func checkCost(t *testing.T, r *calls.Record, at time.Time, usd *string) {
	t.Helper()
	now := sumOf(t, *r, true)
	if r.USD == "" {
		assert.NotEmpty(t, r.Unpriced)
		assert.Equal(t, 1, now.Unpriced)
	} else {
		assert.Equal(t, r.USD, now.USD)
	}
	then := *r
	then.Time = at
	group := sumOf(t, then, true)
	if usd == nil {
		assert.Equal(t, 1, group.Unpriced, r.USD)
		return
	}
	assert.Equal(t, 0, group.Unpriced, r.Unpriced)
	assert.EqualValues(t, *usd, group.USD)
}

func sumOf(t *testing.T, r calls.Record, reprice bool) calls.Group {
	t.Helper()
	line, err := json.Marshal(r)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "1.jsonl")
	require.NoError(t, os.WriteFile(file, line, 0o600))
	groups, err := calls.Sum(calls.Options{Reprice: reprice}, file)
	require.NoError(t, err)
	require.Len(t, groups[0], 1)
	return groups[0][0]
}
