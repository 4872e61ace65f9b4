package meter_test

import (
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

func sequence(records ...calls.Record) iter.Seq2[calls.Record, error] {
	return func(yield func(calls.Record, error) bool) {
		for _, r := range records {
			if !yield(r, nil) {
				return
			}
		}
	}
}

func callAt(when time.Time, user string, usd prices.USD) calls.Record {
	return calls.Record{Provider: models.OpenAI, Model: "gpt-4o", Time: when, USD: usd, Labels: map[string]string{"user": user}}
}

// answering returns a client whose calls go through m and all get the same response.
func answering(m *meter.Meter, body string) *http.Client {
	return &http.Client{Transport: m.Transport(roundTripper(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}, nil
	}))}
}

// atNoon moves a bubble's clock to a day with known prices.
func atNoon() { time.Sleep(time.Until(time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC))) }

const openAIChat = "https://api.openai.com/v1/chat/completions"

// If a program's clock was wrong once, its record counts in its own period only.
func TestARecordOfAnotherTimeLeavesTodaysBudgetAlone(t *testing.T) {
	t.Parallel()
	for _, per := range []meter.Period{meter.PeriodDay, meter.PeriodMonth} {
		synctest.Test(t, func(t *testing.T) {
			atNoon()
			m, err := meter.New(meter.WithBudget(meter.Budget{USD: "1", Per: per}))
			require.NoError(t, err)
			now := time.Now()
			wrong := callAt(time.Date(2056, 1, 1, 0, 0, 0, 0, time.UTC), "", "7")
			require.NoError(t, m.Restore(sequence(callAt(now, "", "1"), wrong, callAt(now.AddDate(-1, 0, 0), "", "7"), callAt(time.Date(1969, 12, 31, 0, 0, 0, 0, time.UTC), "", "7"))))
			refused := refusal(t.Context(), t, answering(m, chatAnswer), openAIChat, chat)
			require.NotNil(t, refused, "a record from 2056 must not reopen the budget")
			assert.EqualValues(t, "1", refused.SpentUSD)
			time.Sleep(32 * 24 * time.Hour)
			assert.Nil(t, refusal(t.Context(), t, answering(m, chatAnswer), openAIChat, chat), "nor block the next period")
			time.Sleep(time.Until(wrong.Time))
			assert.EqualValues(t, "7", m.Budgets()[0].SpentUSD)
		})
	}
}

func TestBalancesOfEarlierPeriodsAreFreed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		atNoon()
		m, err := meter.New(meter.WithBudget(meter.Budget{USD: "1", Per: meter.PeriodDay, Label: "user"}))
		require.NoError(t, err)
		for day := range 5 {
			for user := range 100 {
				r := callAt(time.Now(), fmt.Sprint(user), "1")
				require.NoError(t, m.Restore(sequence(r, callAt(r.Time.AddDate(0, 0, -1), "x", "1"))))
			}
			assert.LessOrEqual(t, meter.Balances(m), 201, "day %d: balances for two days, and for x", day)
			assert.Len(t, m.Budgets(), 100)
			time.Sleep(24 * time.Hour)
		}
		assert.Empty(t, m.Budgets())
		time.Sleep(24 * time.Hour)
		assert.Empty(t, m.Budgets())
		assert.Zero(t, meter.Balances(m))
	})
}

// If the clock jumps to other days and back, no day's budget reopens.
func TestAClockThatComesBackReopensNoBudget(t *testing.T) {
	t.Parallel()
	for per, step := range map[meter.Period]time.Duration{meter.PeriodDay: 24 * time.Hour, meter.PeriodMonth: 31 * 24 * time.Hour} {
		for _, jumps := range [][]int{{1}, {1, 2}, {2, 1}, {-1, 3}, {3, -2}, {1, 2, 3, 4, 5}} {
			synctest.Test(t, func(t *testing.T) {
				atNoon()
				m, err := meter.New(meter.WithBudget(meter.Budget{USD: "1", Per: per}))
				require.NoError(t, err)
				require.NoError(t, m.Restore(sequence(callAt(time.Now(), "", "1"))))
				for _, jump := range jumps {
					meter.SetClock(m, time.Now().Add(time.Duration(jump)*step))
				}
				refused := refusal(t.Context(), t, answering(m, chatAnswer), openAIChat, chat)
				require.NotNil(t, refused, jumps)
				assert.EqualValues(t, "1", refused.SpentUSD)
			})
		}
	}
}

// A record from yesterday counts for that day: the clock may be ahead.
func TestARecordOfThePreviousPeriodCounts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		atNoon()
		var warnings []prices.USD
		m, err := meter.New(meter.WithBudget(meter.Budget{USD: "4", Per: meter.PeriodDay}), meter.WithBudgetWarning(func(w meter.BudgetWarning) {
			warnings = append(warnings, w.SpentUSD)
		}))
		require.NoError(t, err)
		require.NoError(t, m.Restore(sequence(callAt(time.Now(), "", "1"))))
		yesterday := time.Now()
		time.Sleep(24 * time.Hour)
		require.NoError(t, m.Restore(sequence(callAt(yesterday, "", "2.5"))))
		assert.Equal(t, []prices.USD{"3.5"}, warnings)
		assert.EqualValues(t, "0", m.Budgets()[0].SpentUSD)
	})
}

// A call settles on the day it started.
func TestACallOverMidnightCountsOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		atNoon()
		m, err := meter.New(meter.WithBudget(meter.Budget{USD: "1", Per: meter.PeriodDay, PerCall: "0.5"}))
		require.NoError(t, err)
		res, err := post(t.Context(), answering(m, chatAnswer), openAIChat, chat)
		require.NoError(t, err)
		defer res.Body.Close()
		assert.EqualValues(t, "0.5", m.Budgets()[0].ReservedUSD)
		time.Sleep(24 * time.Hour)
		assert.EqualValues(t, "0", m.Budgets()[0].ReservedUSD)
		_, err = io.ReadAll(res.Body)
		require.NoError(t, err)
		assert.EqualValues(t, "0", m.Budgets()[0].SpentUSD)
		assert.EqualValues(t, chatUSD, m.Spent().USD)
	})
}
