package meter_test

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

func TestAStatusOfAnErrorCostsNothing(t *testing.T) {
	t.Parallel()
	url, m, records := metered(t, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, chatAnswer, http.StatusTooManyRequests) })
	status, _ := postAll(t, m, url+"/v1/chat/completions", chat)
	assert.Equal(t, http.StatusTooManyRequests, status)
	require.Len(t, records.all(), 1)
	r := records.all()[0]
	assert.EqualValues(t, "0", r.USD)
	assert.Equal(t, http.StatusTooManyRequests, r.Status)
	assert.True(t, r.Incomplete)
	assert.Equal(t, "gpt-4o", r.Model)
	assert.Equal(t, meter.Spent{USD: "0", AtLeastUSD: "0", Calls: 1}, m.Spent())
}

func TestATranscriptionNamesNoModel(t *testing.T) {
	t.Parallel()
	for text, reason := range map[string]string{
		`{"text":"Hi","usage":{"type":"duration","seconds":4}}`:                                        "the call is billed by duration",
		`{"text":"Hi","usage":{"type":"tokens","input_tokens":9,"output_tokens":1,"total_tokens":10}}`: "neither the body of the request nor the response names the model",
	} {
		url, m, records := metered(t, answer(text))
		postAll(t, m, url+"/v1/audio/transcriptions", "--form")
		require.Len(t, records.all(), 1)
		r := records.all()[0]
		assert.Equal(t, []string{"", "", reason}, []string{r.Model, string(r.USD), r.Unpriced})
		assert.False(t, r.Incomplete)
	}
}

func TestARecorderThatPanicsDoesNotBreakTheResponse(t *testing.T) {
	t.Parallel()
	url, m, records := metered(t, answer(chatAnswer), meter.WithRecorder(func(calls.Record) { panic("full") }))
	_, text := postAll(t, m, url+"/v1/chat/completions", chat)
	assert.Equal(t, chatAnswer, text)
	assert.Len(t, records.all(), 1)
}

func TestRecordsHaveTheAttempt(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, value string
		want        int
	}{
		{"X-Stainless-Retry-Count", "0", 1},
		{"X-Stainless-Retry-Count", "2", 3},
		{"X-Stainless-Retry-Count", "-1", 0},
		{"X-Stainless-Retry-Count", "two", 0},
		{"X-Stainless-Retry-Count", "99999999999999999999", 0},
		{"Amz-Sdk-Request", "attempt=1; max=3", 1},
		{"Amz-Sdk-Request", "ttl=20261123T010203Z;attempt=2;  max=3", 2},
		{"Amz-Sdk-Request", "max=3", 0},
		{"Amz-Sdk-Request", "attempt=", 0},
		{"Amz-Sdk-Request", "attempt=70000", 0},
		{"X-Other", "1", 0},
	} {
		url, m, records := metered(t, answer(chatAnswer))
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/v1/chat/completions", strings.NewReader(chat))
		require.NoError(t, err)
		req.Header.Set(row.name, row.value)
		res, err := m.Client().Do(req)
		require.NoError(t, err)
		_, err = io.ReadAll(res.Body)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		require.Len(t, records.all(), 1)
		assert.Equal(t, row.want, records.all()[0].Attempt, "%s: %s", row.name, row.value)
	}
}

type warnings struct {
	mu  sync.Mutex
	all []meter.BudgetWarning
}

func (w *warnings) add(warning meter.BudgetWarning) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = append(w.all, warning)
}

func TestABudgetWarnsOnceInEachPeriod(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		atNoon()
		total, daily := meter.Budget{USD: "100"}, meter.Budget{USD: "1", Per: meter.PeriodDay, Label: "user"}
		var got warnings
		m, err := meter.New(meter.WithBudget(total), meter.WithBudget(daily), meter.WithBudgetWarning(got.add))
		require.NoError(t, err)
		count := func(user string, usd prices.USD) {
			t.Helper()
			require.NoError(t, m.Restore(sequence(callAt(time.Now(), user, usd))))
		}
		count("ana", "0.799999999")
		assert.Empty(t, got.all)
		count("ana", "0.000000001")
		count("ana", "0.1")
		count("ben", "7")
		want := []meter.BudgetWarning{{Budget: daily, LabelValue: "ana", SpentUSD: "0.8"}, {Budget: daily, LabelValue: "ben", SpentUSD: "7"}}
		assert.Equal(t, want, got.all)
		time.Sleep(24 * time.Hour)
		count("ana", "0.9")
		assert.Equal(t, append(want, meter.BudgetWarning{Budget: daily, LabelValue: "ana", SpentUSD: "0.9"}), got.all)
		count("", "75") // without the label, 83.8 in all
		require.Len(t, got.all, 5)
		assert.ElementsMatch(t, []meter.BudgetWarning{{Budget: total, SpentUSD: "83.8"}, {Budget: daily, SpentUSD: "75"}}, got.all[3:])
	})
}

// A warning function may call the Meter.
func TestABudgetWarnsOfCallsAndOfOtherPrograms(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var m *meter.Meter
	var got warnings
	m, err := meter.New(meter.WithBudget(meter.Budget{USD: "0.02"}), meter.WithBudget(meter.Budget{USD: "1", Per: meter.PeriodDay}), meter.WithBudgetWarning(func(w meter.BudgetWarning) {
		assert.Len(t, m.Budgets(), 2)
		got.add(w)
	}))
	require.NoError(t, err)
	for range 2 {
		assert.Nil(t, refusal(t.Context(), t, answering(m, chatAnswer), openAIChat, chat))
	}
	assert.Empty(t, got.all)
	assert.Nil(t, refusal(t.Context(), t, answering(m, chatAnswer), openAIChat, chat))
	require.Len(t, got.all, 1)
	assert.EqualValues(t, "0.0225", got.all[0].SpentUSD)
	openLog(t, dir).Record(callAt(time.Now(), "", "0.9"))
	require.NoError(t, m.Follow(ended(), openLog(t, dir)))
	require.Len(t, got.all, 2)
	assert.EqualValues(t, "0.9225", got.all[1].SpentUSD)
}

func TestAWarningThatPanicsIsLogged(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	m, err := meter.New(meter.WithBudget(meter.Budget{USD: "1"}), meter.WithLogger(slog.New(slog.NewTextHandler(&log, nil))),
		meter.WithBudgetWarning(func(meter.BudgetWarning) { panic("oops") }))
	require.NoError(t, err)
	require.NoError(t, m.Restore(sequence(callAt(time.Now(), "", "1"), callAt(time.Now(), "", "1"))))
	assert.Equal(t, 1, bytes.Count(log.Bytes(), []byte("oops")))
	_, err = meter.New(meter.WithBudgetWarning(nil))
	var wrong *meter.ValueError
	require.ErrorAs(t, err, &wrong)
}
