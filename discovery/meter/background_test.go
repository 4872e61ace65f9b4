package meter_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"path"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
)

func TestBackgroundResponsesCountOnce(t *testing.T) {
	t.Parallel()
	const ready = `{"id":"resp_1","background":true,"status":"completed","model":"gpt-4o","usage":{"input_tokens":1000,"output_tokens":500,"total_tokens":1500}}`
	bodies := map[string]string{
		"/v1/responses":        `{"id":"resp_1","background":true,"status":"queued","model":"gpt-4o","usage":null}`,
		"/v1/responses/resp_1": ready,
		"/v1/responses/resp_2": strings.ReplaceAll(ready, `"background":true`, `"background":false`),
		"/v1/responses/resp_3": `{"id":"resp_3","background":true,"status":"in_progress","model":"gpt-4o","usage":null}`,
	}
	url, m, records := metered(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, bodies[r.URL.Path]) })
	postAll(t, m, url+"/v1/responses", `{"model":"gpt-4o","background":true}`)
	for _, id := range []string{"resp_3", "resp_1", "resp_1", "resp_2"} {
		res, err := m.Client().Get(url + "/v1/responses/" + id)
		require.NoError(t, err)
		_, _ = io.ReadAll(res.Body)
		res.Body.Close()
	}
	require.Len(t, records.all(), 1)
	assert.Equal(t, "resp_1", records.all()[0].ID)
	assert.EqualValues(t, chatUSD, m.Spent().USD)
}

// jobs is a provider with background responses. The test sets their status.
type jobs struct {
	mu     sync.Mutex
	made   int
	status string
}

const jobUsage = `{"input_tokens":1000,"output_tokens":500,"total_tokens":1500}`

func (j *jobs) body(id, status, usage string) string {
	return fmt.Sprintf(`{"id":%q,"object":"response","background":true,"status":%q,"model":"gpt-4o","usage":%s}`, id, status, usage)
}

func (j *jobs) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	j.mu.Lock()
	defer j.mu.Unlock()
	usage, id := "null", path.Base(r.URL.Path)
	status := j.status
	switch {
	case r.URL.Path == "/v1/responses":
		j.made++
		id, status = fmt.Sprintf("resp_%d", j.made), "queued"
	case strings.HasSuffix(r.URL.Path, "/cancel"):
		id, status = path.Base(path.Dir(r.URL.Path)), "cancelled"
	case status == "completed" || status == "incomplete":
		usage = jobUsage
	case status == "invalid":
		status, usage = "completed", strings.Replace(jobUsage, "1500", "1", 1)
	}
	_, _ = io.WriteString(w, j.body(id, status, usage))
}

func (j *jobs) set(status string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.status = status
}

const inBackground = `{"model":"gpt-4o","background":true}`

func fetch(t *testing.T, m *meter.Meter, url string) {
	t.Helper()
	res, err := m.Client().Get(url)
	require.NoError(t, err)
	_, err = io.ReadAll(res.Body)
	require.NoError(t, err)
	res.Body.Close()
}

// A program sends background requests and never fetches the responses.
func TestResponsesInTheBackgroundKeepTheirReservations(t *testing.T) {
	t.Parallel()
	j := &jobs{status: "in_progress"}
	url, m, records := metered(t, j.ServeHTTP, meter.WithBudget(meter.Budget{USD: "1", PerCall: "0.05"}))
	for range 100 {
		refusal(t.Context(), t, m.Client(), url+"/v1/responses", inBackground)
	}
	assert.Equal(t, 20, j.made)
	fetch(t, m, url+"/v1/responses/resp_1")
	assert.Equal(t, meter.BudgetState{Budget: meter.Budget{USD: "1", PerCall: "0.05"}, SpentUSD: "0", ReservedUSD: "1", LeftUSD: "0"}, m.Budgets()[0])
	assert.Empty(t, records.all())
}

func TestAFetchedResponseSettlesItsReservation(t *testing.T) {
	t.Parallel()
	for status, spent := range map[string]string{"completed": chatUSD, "incomplete": chatUSD, "failed": "0", "cancelled": "0", "invalid": "0.05"} {
		j := &jobs{status: "queued"}
		url, m, records := metered(t, j.ServeHTTP, meter.WithBudget(meter.Budget{USD: "0.1", PerCall: "0.05", Label: "user"}))
		ann := meter.WithLabel(t.Context(), "user", "ann")
		for range 2 {
			assert.Nil(t, refusal(ann, t, m.Client(), url+"/v1/responses", inBackground))
		}
		assert.NotNil(t, refusal(ann, t, m.Client(), url+"/v1/responses", inBackground))
		j.set(status)
		for range 3 {
			fetch(t, m, url+"/v1/responses/resp_1")
		}
		require.Len(t, m.Budgets(), 1, "the call counts for its request's label")
		assert.EqualValues(t, "0.05", m.Budgets()[0].ReservedUSD, status)
		assert.EqualValues(t, spent, m.Budgets()[0].SpentUSD, status)
		assert.Equal(t, spent != "0", len(records.all()) == 1, status)
	}
}

func TestACanceledResponseReturnsItsReservation(t *testing.T) {
	t.Parallel()
	j := &jobs{status: "cancelled"}
	url, m, records := metered(t, j.ServeHTTP, meter.WithBudget(meter.Budget{USD: "0.05", PerCall: "0.05"}))
	for range 3 {
		assert.Nil(t, refusal(t.Context(), t, m.Client(), url+"/v1/responses", inBackground))
		postAll(t, m, url+fmt.Sprintf("/v1/responses/resp_%d/cancel", j.made), "")
	}
	assert.EqualValues(t, "0.05", m.Budgets()[0].LeftUSD)
	assert.Empty(t, records.all())
}

// At most 10,000 ids are kept. After that, the oldest response costs PerCall.
func TestAResponseThatIsNeverFetchedCostsPerCall(t *testing.T) {
	t.Parallel()
	j := &jobs{}
	m, err := meter.New(meter.WithBudget(meter.Budget{USD: "20000", PerCall: "0.05"}))
	require.NoError(t, err)
	client := &http.Client{Transport: m.Transport(roundTripper(func(*http.Request) (*http.Response, error) {
		j.made++
		return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(j.body(fmt.Sprint(j.made), "queued", "null")))}, nil
	}))}
	for range 10_003 {
		require.Nil(t, refusal(t.Context(), t, client, "https://api.openai.com/v1/responses", inBackground))
	}
	assert.EqualValues(t, "0.15", m.Budgets()[0].SpentUSD)
	assert.EqualValues(t, "500", m.Budgets()[0].ReservedUSD)
}

// If a broken stream's response is never fetched, it still counts as a call once its id
// is forgotten.
func TestABrokenStreamThatIsNeverFetchedIsACall(t *testing.T) {
	t.Parallel()
	made := 0
	m, err := meter.New()
	require.NoError(t, err)
	client := &http.Client{Transport: m.Transport(roundTripper(func(*http.Request) (*http.Response, error) {
		made++
		event := fmt.Sprintf("data: {\"type\":\"response.created\",\"response\":{\"id\":\"resp_%d\",\"background\":true,\"status\":\"queued\",\"model\":\"gpt-4o\"}}\n\n", made)
		return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(strings.NewReader(event))}, nil
	}))}
	for range 10_002 {
		require.Nil(t, refusal(t.Context(), t, client, "https://api.openai.com/v1/responses", inBackground))
	}
	assert.Equal(t, 10_002, m.Spent().Calls)
}

// The provider carries on after a stream breaks off, and the program fetches the response
// later.
func TestABrokenStreamInTheBackgroundKeepsItsReservation(t *testing.T) {
	t.Parallel()
	const event = `{"type":%q,"response":{"id":"resp_1","background":true,"status":%q,"model":"gpt-4o","usage":%s}}`
	url, m, records := metered(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "data: "+event+"\n\n", "response.created", "queued", "null")
		if r.URL.Query().Get("starting_after") == "5" {
			fmt.Fprintf(w, "data: "+event+"\n\n", "response.completed", "completed", jobUsage)
		}
	}, meter.WithBudget(meter.Budget{USD: "1", PerCall: "0.05"}))
	postAll(t, m, url+"/v1/responses", `{"model":"gpt-4o","background":true,"stream":true}`)
	require.Len(t, records.all(), 1)
	assert.Equal(t, "the response ended before its final counts", records.all()[0].Unpriced)
	assert.Equal(t, []string{"0", "0.05"}, []string{string(m.Budgets()[0].SpentUSD), string(m.Budgets()[0].ReservedUSD)})
	for _, after := range []string{"3", "5", "5"} {
		fetch(t, m, url+"/v1/responses/resp_1?stream=true&starting_after="+after)
	}
	require.Len(t, records.all(), 2)
	assert.Equal(t, []string{chatUSD, "0"}, []string{string(m.Budgets()[0].SpentUSD), string(m.Budgets()[0].ReservedUSD)})
}

// A broken stream and its later fetch are one call, as in sums over files. The stream
// alone is a call, too.
func TestABrokenStreamAndItsFetchAreOneCall(t *testing.T) {
	t.Parallel()
	const event = "data: {\"type\":\"response.created\",\"response\":{\"id\":%q,\"background\":true,\"status\":\"queued\",\"model\":\"gpt-4o\",\"usage\":null}}\n\n"
	j := &jobs{}
	url, m, records := metered(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			j.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		j.made++
		fmt.Fprintf(w, event, fmt.Sprintf("resp_%d", j.made))
	})
	for range 3 {
		postAll(t, m, url+"/v1/responses", `{"model":"gpt-4o","background":true,"stream":true}`)
	}
	assert.Equal(t, meter.Spent{USD: "0", AtLeastUSD: "0", Calls: 3, Unpriced: 3}, m.Spent())
	for status, id := range map[string]string{"completed": "resp_1", "failed": "resp_2"} {
		j.set(status)
		for range 2 {
			fetch(t, m, url+"/v1/responses/"+id)
		}
	}
	want := meter.Spent{USD: chatUSD, AtLeastUSD: chatUSD, Calls: 3, Unpriced: 2}
	assert.Equal(t, want, m.Spent())
	dir := t.TempDir()
	log := openLog(t, dir)
	for _, r := range records.all() {
		log.Record(r)
	}
	require.NoError(t, log.Close())
	groups, err := calls.Sum(calls.Options{}, dir)
	require.NoError(t, err)
	g := groups[0][0]
	assert.Equal(t, want, meter.Spent{USD: g.USD, AtLeastUSD: g.AtLeastUSD, Calls: g.Calls, Unpriced: g.Unpriced})
}

// If fetching a stored response fails, nothing is known about it.
func TestAStoredResponseThatCannotBeFetchedIsNoCall(t *testing.T) {
	t.Parallel()
	m, err := meter.New()
	require.NoError(t, err)
	client := &http.Client{Transport: m.Transport(roundTripper(func(req *http.Request) (*http.Response, error) {
		httptrace.ContextClientTrace(req.Context()).WroteHeaders()
		return nil, io.ErrUnexpectedEOF
	}))}
	_, err = client.Get("https://api.openai.com/v1/responses/resp_1")
	require.Error(t, err)
	assert.Zero(t, m.Spent().Calls)
}

const fetched = `{"id":"resp_1","background":true,"status":"completed","model":"gpt-4o","usage":{"input_tokens":1000,"output_tokens":500,"total_tokens":1500}}`

// fetchStored fetches a response whose POST the meter never saw.
func fetchStored(t *testing.T, m *meter.Meter) {
	t.Helper()
	client := answering(m, fetched)
	res, err := client.Get("https://api.openai.com/v1/responses/resp_1")
	require.NoError(t, err)
	readAll(t, res)
}

// If two programs fetch one response, it counts as one call: in budgets that follow the
// directory, and in sums over it.
func TestAFetchedResponseIsOneCallOfAllPrograms(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	budget := meter.WithBudget(meter.Budget{USD: "1", Per: meter.PeriodDay, PerCall: "0.05"})
	programs := make([]*meter.Meter, 3)
	logs := make([]*calls.Log, len(programs))
	for i := range programs {
		logs[i] = openLog(t, dir)
		m, err := meter.New(budget, meter.WithRecorder(logs[i].Record))
		require.NoError(t, err)
		programs[i] = m
	}
	_ = refusal(t.Context(), t, answering(programs[0], `{"id":"resp_1","background":true,"status":"queued","model":"gpt-4o"}`), "https://api.openai.com/v1/responses", chat)
	assert.EqualValues(t, "0.05", programs[0].Budgets()[0].ReservedUSD)
	fetchStored(t, programs[1])
	fetchStored(t, programs[2]) // at the same time: no program has seen another's record
	for i, m := range programs {
		require.NoError(t, m.Follow(ended(), logs[i]))
		fetchStored(t, m)
		assert.Equal(t, []string{chatUSD, "0"}, []string{string(m.Budgets()[0].SpentUSD), string(m.Budgets()[0].ReservedUSD)}, i)
	}
	groups, err := calls.Sum(calls.Options{}, dir)
	require.NoError(t, err)
	assert.Equal(t, []any{1, chatUSD}, []any{groups[0][0].Calls, string(groups[0][0].USD)})

	again, err := meter.New(budget)
	require.NoError(t, err)
	require.NoError(t, again.Restore(calls.Read(calls.Options{Recorded: true}, dir)))
	assert.Equal(t, meter.Spent{USD: chatUSD, AtLeastUSD: chatUSD, Calls: 1}, again.Spent())
	assert.EqualValues(t, chatUSD, again.Budgets()[0].SpentUSD)
}

// Records with the same id within 24 hours are one call, whether they made or fetched the
// response, and whether they're complete.
func TestRestoreKnowsTheIdsOfADay(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	fetch := calls.Record{ID: "resp_1", Provider: "openai", Model: "gpt-4o", Time: at, Path: "/v1/responses/resp_1", USD: "1"}
	later, other, third, post, cut := fetch, fetch, fetch, fetch, fetch
	later.Time = at.Add(24 * time.Hour)
	other.ID, other.Path = "resp_2", "/v1/responses/resp_2"
	third.ID, third.Path = "resp_3", "/v1/responses"
	post.Path = "/v1/responses"
	cut.Incomplete, cut.USD, cut.Unpriced, cut.BoundUSD = true, "", "closed", "7"
	for want, records := range map[string][]calls.Record{"1": {fetch, fetch, post, cut}, "2": {fetch, later, later}, "3": {fetch, other, post, third}} {
		m, err := meter.New()
		require.NoError(t, err)
		require.NoError(t, m.Restore(sequence(records...)))
		assert.EqualValues(t, want, m.Spent().USD)
		dir := t.TempDir()
		log := openLog(t, dir)
		for _, r := range records {
			log.Record(r)
		}
		require.NoError(t, log.Close())
		groups, err := calls.Sum(calls.Options{}, dir)
		require.NoError(t, err)
		assert.EqualValues(t, want, groups[0][0].USD)
	}
}
