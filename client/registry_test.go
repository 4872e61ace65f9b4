package client_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
	"github.com/mesh-gateway/mesh-go/internal/test/whole"
)

func TestRegistryIsReadOncePerTTL(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	c := connect(t, g, "node-a")
	for range 5 {
		_, err := c.Send(t.Context(), hello("node-b"))
		require.NoError(t, err)
	}
	assert.Len(t, g.Requests(gatewaytest.ListPeers), 1)

	always := connect(t, g, "node-a", client.WithRegistryTTL(0))
	for range 3 {
		_, err := always.Send(t.Context(), hello("node-b"))
		require.NoError(t, err)
	}
	assert.Len(t, g.Requests(gatewaytest.ListPeers), 4)
}

func TestRegistryExpires(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var reads int
		c := inProcess(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				reads++
				_, _ = w.Write([]byte(`[{"name":"node-b"}]`))
				return
			}
			_, _ = w.Write([]byte(receipt))
		}, client.WithRegistryTTL(time.Minute))
		for _, pause := range []time.Duration{0, 59 * time.Second, time.Second, 59 * time.Second} {
			time.Sleep(pause) // virtual time
			_, err := c.Send(t.Context(), hello("node-b"))
			require.NoError(t, err)
		}
		assert.Equal(t, 2, reads)
	})
}

func TestNameMissingFromTheCacheIsLookedUpAgain(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	c := connect(t, g, "node-a")
	_, err := c.Send(t.Context(), hello("node-b"))
	require.NoError(t, err)
	late := connect(t, g, "node-late")
	_, err = late.Register(t.Context(), client.RegisterRequest{URL: "http://late"})
	require.NoError(t, err)
	_, err = c.Send(t.Context(), hello("node-late"))
	require.NoError(t, err)
	assert.Len(t, g.Requests(gatewaytest.ListPeers), 2)
}

func TestNothingIsSentIfTheRegistryCannotBeRead(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]gatewaytest.Fault{
		"status":  {Status: 503, Body: "busy"},
		"hang-up": {HangUp: true, Times: 2}, // net/http repeats a request on a reused connection that was closed
		"garbage": {Body: "<html>"},
		"null":    {Body: "null"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := gateway(t)
			c := connect(t, g, "node-a", client.WithRegistryTTL(0))
			_, err := c.Send(t.Context(), hello("node-b"))
			require.NoError(t, err)
			g.Fail(gatewaytest.ListPeers, fault)
			_, err = c.Send(t.Context(), hello("node-b"))
			failed := gatewayError(t, err)
			assert.Equal(t, "/peers", failed.Path)
			assert.False(t, failed.Delivered)
			assert.Len(t, g.Requests(gatewaytest.SendMessage), 1, "only the first one was posted")
		})
	}
}

func TestEmptyRegistryHasNoRecipients(t *testing.T) {
	t.Parallel()
	c := answering(t, 200, "application/json", "")
	_, err := c.Send(t.Context(), hello("node-b"))
	var absent *client.NotInRegistryError
	require.ErrorAs(t, err, &absent)
}

func TestNamesMatchExactly(t *testing.T) {
	t.Parallel()
	g := gatewaytest.New(t, gatewaytest.WithPeers("Node-B", "node-bx", "twin", "TWIN"))
	c := connect(t, g, "node-a")
	_, err := c.Send(t.Context(), hello("node-b"))
	var unknown *client.NotInRegistryError
	require.ErrorAs(t, err, &unknown, "Node-B is another peer")
	assert.Equal(t, []string{"Node-B", "node-bx"}, unknown.Near, "the other spelling is offered first")
	assert.Empty(t, g.Requests(gatewaytest.SendMessage))
	receipt, err := c.Send(t.Context(), hello("twin"))
	require.NoError(t, err)
	assert.Equal(t, "twin", receipt.ToNode)
}

// One peer's capabilities must not stop every Send.
func TestSendDoesNotReadCapabilities(t *testing.T) {
	t.Parallel()
	advert := long("x", 1<<20)
	for name, capabilities := range hostileCapabilities() {
		c := inProcess(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				_, _ = w.Write([]byte(receipt))
				return
			}
			assert.Equal(t, "/peers", r.URL.Path, "the list is enough")
			_, _ = w.Write([]byte(`{"n":2,"peers":[{"name":"hog","capabilities":` + capabilities + `},{"capabilities" : {"` + advert + `":["` + advert +
				`"]} ,"name":"hog-2"},{"enabled":null,"capabilities":7,"name":"node-b"},{"name":"off","enabled":0}]}`))
		}, client.WithMaxResponseBytes(1000))
		_, err := c.Send(t.Context(), hello("node-b"))
		require.NoError(t, err, name)
		_, err = c.Send(t.Context(), hello("off"))
		var unknown *client.NotInRegistryError
		require.ErrorAs(t, err, &unknown, name)
	}
}

// hugeRegistry answers like a gateway whose peer list exceeds a bound: with too many
// names, a name that is too long, or elements without end. The peers of rows can be
// requested one by one.
func hugeRegistry(t *testing.T, list string, rows map[string]string) (handler http.HandlerFunc, requests func() map[string]int) {
	t.Helper()
	var mu sync.Mutex
	count := make(map[string]int)
	return func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		count[r.Method+" "+r.URL.Path]++
		mu.Unlock()
		row, ok := rows[strings.TrimPrefix(r.URL.Path, "/peers/")]
		switch {
		case r.Method == http.MethodPost:
			_, _ = w.Write([]byte(receipt))
		case r.URL.Path == "/peers":
			_, _ = w.Write([]byte(list))
		case ok:
			_, _ = w.Write([]byte(row))
		default:
			w.WriteHeader(http.StatusNotFound)
			_, _ = w.Write([]byte(`{"detail":"peer not registered"}`))
		}
	}, func() map[string]int { return count }
}

// Without this lookup, Send fails if the registry exceeds the limits.
func TestRecipientIsLookedUpAloneIfTheListIsTooLarge(t *testing.T) {
	t.Parallel()
	rows := map[string]string{
		"node-b":   `{"name":"node-b","enabled":1}`,
		"off":      `{"name":"off","enabled":0}`,
		"other":    `{"name":"Other","enabled":true}`,
		"hog":      `{"name":"hog","capabilities":{"x":"` + long("x", 2<<20) + `"}}`,
		"nameless": `{"enabled":true}`,
	}
	for list, opts := range map[string][]client.Option{
		`[` + long(`{"name":"node-bb"},`, 70_000) + `{"name":"node-b"}]`: {client.WithMaxResponseBytes(1 << 20)},
		`[` + long(`{"name":"bb"},`, 500_000) + `{"name":"node-b"}]`:     nil,
		`[{"name":"` + long("x", 2<<20) + `"},{"name":"node-b"}]`:        {client.WithMaxResponseBytes(1 << 20)},
		`[{"name":"node-b","enabled":1` + long("0", 2<<20) + `}]`:        {client.WithMaxResponseBytes(1 << 20)},
	} {
		if len(list) > whole.Cases(8<<20, 4<<20) {
			continue
		}
		handler, requests := hugeRegistry(t, list, rows)
		c := inProcess(t, handler, append(opts, client.WithTimeout(time.Minute), quiet())...)
		for range 2 {
			_, err := c.Send(t.Context(), hello("node-b"))
			require.NoError(t, err)
		}
		_, err := c.Send(t.Context(), hello("hog"))
		require.NoError(t, err, "its own capabilities do not matter")
		var unknown *client.NotInRegistryError
		for _, absent := range []string{"off", "other", "node-z"} {
			_, err = c.Send(t.Context(), hello(absent))
			require.ErrorAs(t, err, &unknown, absent)
			assert.Equal(t, absent, unknown.Name)
			assert.Empty(t, unknown.Near)
		}
		_, err = c.Send(t.Context(), hello("nameless"))
		require.ErrorContains(t, gatewayError(t, err), "name: required field is missing")
		assert.Equal(t, map[string]int{
			"GET /peers": 1, "GET /peers/node-b": 2, "GET /peers/hog": 1, "GET /peers/off": 1, "GET /peers/other": 1, "GET /peers/node-z": 1,
			"GET /peers/nameless": 1, "POST /messages": 3,
		}, requests(), "the list is requested once in its time to live")
	}
}

// Older gateways can't return a single peer.
func TestNothingIsSentIfNeitherTheListNorTheRecipientCanBeRead(t *testing.T) {
	t.Parallel()
	for status, body := range map[int]string{http.StatusNotFound: `{"detail":"Not Found"}`, http.StatusServiceUnavailable: "busy"} {
		c := inProcess(t, func(w http.ResponseWriter, r *http.Request) {
			assert.Equal(t, http.MethodGet, r.Method, "nothing is posted")
			if r.URL.Path == "/peers" {
				_, _ = w.Write([]byte(`[{"name":"node-b","url":"` + long("x", 2000) + `"}]`))
				return
			}
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		}, client.WithMaxResponseBytes(1000), quiet())
		_, err := c.Send(t.Context(), hello("node-b"))
		failed := gatewayError(t, err)
		if status == http.StatusNotFound {
			require.ErrorIs(t, err, client.ErrTooLarge)
			assert.Equal(t, "/peers", failed.Path)
		} else {
			assert.Equal(t, 503, failed.StatusCode)
		}
	}
}

func TestARegistryThatBeginsWithManyBlanksIsNotEmpty(t *testing.T) {
	t.Parallel()
	_, err := answering(t, 200, "text/html", long(" ", 20<<10)+"<html>").Send(t.Context(), hello("node-b"))
	require.ErrorContains(t, gatewayError(t, err), "not JSON")
}

func TestInvalidRegistryIsAnErrorThatNamesTheField(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{}`:                     "peers: required field is missing",
		`{"peers":null}`:         "peers: null where a value is required",
		`null`:                   "null where a value is required",
		`[{"name":"node-b"}`:     "not JSON",
		`[{"name":"node-b"}] []`: "not JSON",
		`[{"name":"node-b"}] x`:  "not JSON",
		`<html>`:                 `not JSON: "<html>"`,
	} {
		c := answering(t, 200, "application/json", body)
		_, err := c.Send(t.Context(), hello("node-b"))
		failed := gatewayError(t, err)
		require.ErrorContains(t, err, "mesh: GET /peers: status 200: "+want, body)
		assert.Equal(t, body, failed.Body)
		assert.False(t, failed.Delivered || failed.Uncertain)
	}
}

func FuzzRegistry(f *testing.F) {
	f.Add(`[{"name":"node-b","enabled":1}]`)
	f.Add(`{"peers":[{"enabled":false,"name":"node-b"}],"n":1}`)
	f.Add(`{"peers":[{"name":"node-b","name":"x","capabilities":{"a":[1,{}]}}]} x`)
	f.Fuzz(func(t *testing.T, body string) {
		c := inProcess(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				_, _ = w.Write([]byte(body))
			} else {
				_, _ = w.Write([]byte(receipt))
			}
		})
		peers, listed := c.ListPeers(t.Context())
		_, err := c.Send(t.Context(), hello("node-b"))
		enabled := slices.ContainsFunc(peers, func(p client.MeshPeer) bool { return p.Enabled && p.Name == "node-b" })
		if listed == nil {
			require.Equal(t, enabled, err == nil, "%v", err)
		}
	})
}

func TestNoSimilarNamesAreSearchedInAHugeRegistry(t *testing.T) {
	t.Parallel()
	var names strings.Builder
	for i := range 10_001 {
		fmt.Fprintf(&names, `{"name":"node-%d"},`, i)
	}
	_, err := answering(t, 200, "application/json", `[`+names.String()+`{"name":"x1"}]`).Send(t.Context(), hello("node-x"))
	var unknown *client.NotInRegistryError
	require.ErrorAs(t, err, &unknown)
	assert.Empty(t, unknown.Near)
}

func TestErrorsListSimilarNames(t *testing.T) {
	t.Parallel()
	g := gatewaytest.New(t, gatewaytest.WithPeers("worker-one", "worker-two", "worker-ten", "worker-tan", "scheduler"))
	c := connect(t, g, "node-a")
	for to, near := range map[string][]string{
		"worker-oen":  {"worker-one", "worker-ten", "worker-tan"},
		"schedular":   {"scheduler"},
		"sched":       {"scheduler"},
		"elsewhere":   nil,
		"scheduler-2": {"scheduler"},
	} {
		_, err := c.Send(t.Context(), hello(to))
		var unknown *client.NotInRegistryError
		require.ErrorAs(t, err, &unknown)
		assert.LessOrEqual(t, len(unknown.Near), 3)
		if to == "worker-oen" {
			assert.Len(t, unknown.Near, 3)
			continue
		}
		assert.Equal(t, near, unknown.Near, to)
		if near != nil {
			assert.Contains(t, err.Error(), "did you mean "+strings.Join(near, ", "))
		}
	}
}

func TestSimilarNamesHaveTheSyntaxOfNames(t *testing.T) {
	t.Parallel()
	g := gatewaytest.New(t, gatewaytest.WithPeers("node-b1", "node-b\nlevel=ERROR", "node-b"+long("x", 100), "sk-ant-x_y", "NODE-BB"))
	_, err := connect(t, g, "node-a").Send(t.Context(), hello("node-b"))
	var unknown *client.NotInRegistryError
	require.ErrorAs(t, err, &unknown)
	assert.Equal(t, []string{"NODE-BB", "node-b1"}, unknown.Near)
}

// Case folding would treat ſ as s.
func TestNonASCIILettersAreNotFolded(t *testing.T) {
	t.Parallel()
	g := gatewaytest.New(t, gatewaytest.WithPeers("\u017ftatus-bot", "\u212aeeper"))
	for _, to := range []string{"status-bot", "keeper"} {
		_, err := connect(t, g, "node-a").Send(t.Context(), hello(to))
		var unknown *client.NotInRegistryError
		require.ErrorAs(t, err, &unknown)
	}
	assert.Empty(t, g.Requests(gatewaytest.SendMessage))
}
