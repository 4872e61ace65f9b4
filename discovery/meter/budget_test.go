package meter_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math/big"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// refusal sends a call and returns its BudgetError, or nil if it was sent.
func refusal(ctx context.Context, t testing.TB, client *http.Client, url, body string) *meter.BudgetError {
	t.Helper()
	res, err := post(ctx, client, url, body)
	require.NoError(t, err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	var refused *meter.BudgetError
	if !errors.As(err, &refused) {
		assert.NoError(t, err)
		return nil
	}
	assert.Equal(t, http.StatusPaymentRequired, res.StatusCode)
	assert.Equal(t, "false", res.Header.Get("X-Should-Retry"))
	assert.Contains(t, string(text), `"budget_exceeded"`)
	return refused
}

func TestABudgetRefusesCallsBeforeTheyAreSent(t *testing.T) {
	t.Parallel()
	var sent atomic.Int32
	url, m, records := metered(t, func(w http.ResponseWriter, r *http.Request) {
		sent.Add(1)
		answer(chatAnswer)(w, r)
	}, meter.WithBudget(meter.Budget{USD: "0.02"}))
	for range 3 { // without PerCall, the call that exceeds the budget is sent
		assert.Nil(t, refusal(t.Context(), t, m.Client(), url+"/v1/chat/completions", chat))
	}
	refused := refusal(t.Context(), t, m.Client(), url+"/v1/chat/completions", chat)
	require.NotNil(t, refused)
	assert.Equal(t, meter.BudgetError{Budget: meter.Budget{USD: "0.02"}, SpentUSD: "0.0225", ReservedUSD: "0"}, *refused)
	assert.EqualValues(t, 3, sent.Load())
	assert.Len(t, records.all(), 3, "a refusal has no record")
	assert.Equal(t, meter.Spent{USD: "0.0225", AtLeastUSD: "0.0225", Calls: 3}, m.Spent())
}

func TestABudgetIsNeverExceededAndCanBeUsedUp(t *testing.T) {
	t.Parallel()
	var sent atomic.Int32
	url, m, _ := metered(t, func(w http.ResponseWriter, r *http.Request) {
		sent.Add(1)
		answer(chatAnswer)(w, r)
	}, meter.WithBudget(meter.Budget{USD: "0.75", PerCall: chatUSD}), meter.WithBudget(meter.Budget{USD: "100"}))
	var group sync.WaitGroup
	for range 1000 {
		group.Go(func() {
			res, err := post(t.Context(), m.Client(), url+"/v1/chat/completions", chat)
			if assert.NoError(t, err) {
				_, _ = io.ReadAll(res.Body)
				res.Body.Close()
			}
		})
	}
	group.Wait()
	assert.EqualValues(t, 100, sent.Load())
	assert.EqualValues(t, "0.75", m.Spent().USD)
}

func TestReservationsAreReturned(t *testing.T) {
	t.Parallel()
	base := roundTripper(func(req *http.Request) (*http.Response, error) {
		res := &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(chatAnswer))}
		switch req.URL.Query().Get("how") {
		case "unsent":
			return nil, errors.New("no route")
		case "status":
			res.StatusCode = http.StatusServiceUnavailable
		case "cut":
			res.Body = io.NopCloser(strings.NewReader(chatAnswer[:20]))
		}
		return res, nil
	})
	m, err := meter.New(meter.WithBudget(meter.Budget{USD: "0.03", PerCall: "0.01"}))
	require.NoError(t, err)
	client := &http.Client{Transport: m.Transport(base)}
	const url = "https://api.openai.com/v1/chat/completions?how="
	for range 10 {
		_, err := post(t.Context(), client, url+"unsent", chat)
		require.Error(t, err)
		assert.Nil(t, refusal(t.Context(), t, client, url+"status", chat))
	}
	assert.Nil(t, refusal(t.Context(), t, client, url+"cut", chat), "costs PerCall: 0.01")
	assert.Nil(t, refusal(t.Context(), t, client, url, chat), "costs 0.0075")
	assert.Nil(t, refusal(t.Context(), t, client, url, chat))
	refused := refusal(t.Context(), t, client, url, chat)
	require.NotNil(t, refused)
	assert.EqualValues(t, "0.025", refused.SpentUSD)
	assert.EqualValues(t, "0", refused.ReservedUSD)
}

// A program must not stop working on the day a new model appears.
func TestAModelWithoutAPriceCostsPerCall(t *testing.T) {
	t.Parallel()
	const unknown = `{"messages":[],"model":"no-such-model"}`
	url, m, records := metered(t, answer(strings.ReplaceAll(chatAnswer, "gpt-4o", "no-such-model")), meter.WithBudget(meter.Budget{USD: "0.03", PerCall: "0.01"}))
	for range 3 {
		assert.Nil(t, refusal(t.Context(), t, m.Client(), url+"/v1/chat/completions", unknown))
	}
	refused := refusal(t.Context(), t, m.Client(), url+"/v1/chat/completions", unknown)
	require.NotNil(t, refused)
	assert.EqualValues(t, "0.03", refused.SpentUSD)
	require.Len(t, records.all(), 3)
	assert.Contains(t, records.all()[0].Unpriced, "model: no-such-model")
	assert.Equal(t, 3, m.Spent().Unpriced)
}

func TestBudgetsOfLabelsAndPeriods(t *testing.T) {
	t.Parallel()
	records := func(when ...time.Time) []calls.Record {
		var list []calls.Record
		for _, at := range when {
			list = append(list, calls.Record{Provider: models.OpenAI, Model: "gpt-4o", Time: at, USD: "1", Labels: map[string]string{"user": "ann"}})
		}
		return list
	}
	now := time.Now().UTC()
	for name, c := range map[string]struct {
		budget  meter.Budget
		spent   []calls.Record
		refused bool
	}{
		"total":           {meter.Budget{USD: "2"}, records(now.AddDate(-1, 0, 0), now), true},
		"today":           {meter.Budget{USD: "2", Per: meter.PeriodDay}, records(now, now), true},
		"yesterday":       {meter.Budget{USD: "2", Per: meter.PeriodDay}, records(now, now.AddDate(0, 0, -1)), false},
		"this month":      {meter.Budget{USD: "2", Per: meter.PeriodMonth}, records(now, now), true},
		"last year":       {meter.Budget{USD: "2", Per: meter.PeriodMonth}, records(now.AddDate(-1, 0, 0), now.AddDate(-1, 0, 0)), false},
		"label":           {meter.Budget{USD: "1", Label: "user"}, records(now), true},
		"other label":     {meter.Budget{USD: "1", Label: "team"}, nil, false},
		"label, unpriced": {meter.Budget{USD: "1", Label: "user", PerCall: "0.5"}, []calls.Record{{Time: now, Unpriced: "x", Labels: map[string]string{"user": "ann"}}, {Time: now, USD: "0.1", Labels: map[string]string{"user": "ann"}}}, true},
	} {
		m, err := meter.New(meter.WithBudget(c.budget))
		require.NoError(t, err, name)
		require.NoError(t, m.Restore(func(yield func(calls.Record, error) bool) {
			for _, r := range c.spent {
				if !yield(r, nil) {
					return
				}
			}
		}), name)
		client := &http.Client{Transport: m.Transport(roundTripper(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(chatAnswer))}, nil
		}))}
		refused := refusal(meter.WithLabel(t.Context(), "user", "ann"), t, client, "https://api.openai.com/v1/chat/completions", chat)
		assert.Equal(t, c.refused, refused != nil, name)
		if c.budget.Label != "" {
			bob := meter.WithLabel(t.Context(), "user", "bob")
			assert.Nil(t, refusal(bob, t, client, "https://api.openai.com/v1/chat/completions", chat), "%s: another value", name)
		}
	}
}

func TestWrongBudgets(t *testing.T) {
	t.Parallel()
	for _, b := range []meter.Budget{{}, {USD: "-1"}, {USD: "1e3"}, {USD: "1", PerCall: "x"}, {USD: "1", Per: "week"}} {
		_, err := meter.New(meter.WithBudget(b))
		var wrong *discovery.ValueError
		assert.ErrorAs(t, err, &wrong, "%+v", b)
	}
}

func TestSpentIsExact(t *testing.T) {
	t.Parallel()
	m, err := meter.New()
	require.NoError(t, err)
	amounts := []prices.USD{"0.1", "0.2", "0.000000000000000001", "123456789.5", "0"}
	require.NoError(t, m.Restore(func(yield func(calls.Record, error) bool) {
		for _, usd := range amounts {
			yield(calls.Record{Provider: models.XAI, Model: "m", Time: time.Now(), USD: usd}, nil)
		}
	}))
	sum := new(big.Rat)
	for _, usd := range amounts {
		r, _ := new(big.Rat).SetString(string(usd))
		sum.Add(sum, r)
	}
	got, ok := new(big.Rat).SetString(string(m.Spent().USD))
	require.True(t, ok)
	assert.Zero(t, sum.Cmp(got), m.Spent().USD)
	assert.Equal(t, 5, m.Spent().Calls)
	failed := errors.New("a line")
	err = m.Restore(func(yield func(calls.Record, error) bool) {
		_ = yield(calls.Record{}, failed) && yield(calls.Record{Unpriced: "x"}, nil)
	})
	assert.ErrorIs(t, err, failed)
	assert.Equal(t, 6, m.Spent().Calls)
}

func TestParseBudget(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]meter.Budget{
		"5": {USD: "5"}, "5/day": {USD: "5", Per: meter.PeriodDay}, "100/month": {USD: "100", Per: meter.PeriodMonth},
		"2/day/label:user": {USD: "2", Per: meter.PeriodDay, Label: "user"},
	} {
		got, err := meter.ParseBudget(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, got)
		_, err = meter.New(meter.WithBudget(got))
		require.NoError(t, err, text)
	}
	for _, text := range []string{"", "5/week", "5/label:user", "-1/day"} {
		got, err := meter.ParseBudget(text)
		var wrong *meter.ValueError
		require.ErrorAs(t, err, &wrong, text)
		assert.Zero(t, got)
	}
}

func TestBudgets(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		atNoon()
		total := meter.Budget{USD: "1.6", PerCall: "0.01"}
		users := meter.Budget{USD: "1", Per: meter.PeriodDay, Label: "user"}
		month := meter.Budget{USD: "2", Per: meter.PeriodMonth}
		m, err := meter.New(meter.WithBudget(total), meter.WithBudget(users), meter.WithBudget(month))
		require.NoError(t, err)
		assert.Equal(t, []meter.BudgetState{
			{Budget: total, SpentUSD: "0", ReservedUSD: "0", LeftUSD: "1.6"}, {Budget: month, Period: "2026-11", SpentUSD: "0", ReservedUSD: "0", LeftUSD: "2"},
		}, m.Budgets(), "a label has no values before the first call")
		now := time.Now()
		require.NoError(t, m.Restore(sequence(
			callAt(now, "bob", "0.25"), callAt(now, "ann", "1.125"), callAt(now.AddDate(0, 0, 1), "eve", "0.1"), callAt(now.AddDate(0, 0, -1), "joe", "0.1"),
		)))
		res, err := post(meter.WithLabel(t.Context(), "user", "bob"), answering(m, chatAnswer), openAIChat, chat)
		require.NoError(t, err)
		defer res.Body.Close()
		want := []meter.BudgetState{
			{Budget: total, SpentUSD: "1.575", ReservedUSD: "0.01", LeftUSD: "0.015"},
			{Budget: users, LabelValue: "ann", Period: "2026-11-22", SpentUSD: "1.125", ReservedUSD: "0", LeftUSD: "0"},
			{Budget: users, LabelValue: "bob", Period: "2026-11-22", SpentUSD: "0.25", ReservedUSD: "0", LeftUSD: "0.75"},
			{Budget: month, Period: "2026-11", SpentUSD: "1.575", ReservedUSD: "0", LeftUSD: "0.425"},
		}
		assert.Equal(t, want, m.Budgets())
		_, err = io.ReadAll(res.Body)
		require.NoError(t, err)
		assert.EqualValues(t, "0.2575", m.Budgets()[2].SpentUSD)
		assert.EqualValues(t, "0.7425", m.Budgets()[2].LeftUSD)
	})
}

func TestBudgetStateHasJSON(t *testing.T) {
	t.Parallel()
	state := meter.BudgetState{Budget: meter.Budget{USD: "1", Per: meter.PeriodDay, Label: "user", PerCall: "0.1"}, LabelValue: "ann", Period: "2026-11-22", SpentUSD: "0.5", ReservedUSD: "0.1", LeftUSD: "0.4"}
	text, err := json.Marshal(state)
	require.NoError(t, err)
	assert.JSONEq(t, `{"budget":{"usd":"1","per":"day","label":"user","per_call":"0.1"},"label_value":"ann","period":"2026-11-22","spent_usd":"0.5","reserved_usd":"0.1","left_usd":"0.4"}`, string(text))
}
