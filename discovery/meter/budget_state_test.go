package meter_test

import (
	"encoding/json"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/meter"
)

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
			{Budget: total, Spent: "0", Reserved: "0", Left: "1.6"}, {Budget: month, Period: "2026-11", Spent: "0", Reserved: "0", Left: "2"},
		}, m.Budgets(), "a label has no values before the first call")
		now := time.Now()
		require.NoError(t, m.Restore(sequence(
			callAt(now, "bob", "0.25"), callAt(now, "ann", "1.125"), callAt(now.AddDate(0, 0, 1), "eve", "0.1"), callAt(now.AddDate(0, 0, -1), "joe", "0.1"),
		)))
		res, err := post(meter.WithLabel(t.Context(), "user", "bob"), answering(m, chatAnswer), openAIChat, chat)
		require.NoError(t, err)
		defer res.Body.Close()
		want := []meter.BudgetState{
			{Budget: total, Spent: "1.575", Reserved: "0.01", Left: "0.015"},
			{Budget: users, Label: "ann", Period: "2026-11-22", Spent: "1.125", Reserved: "0", Left: "0"},
			{Budget: users, Label: "bob", Period: "2026-11-22", Spent: "0.25", Reserved: "0", Left: "0.75"},
			{Budget: month, Period: "2026-11", Spent: "1.575", Reserved: "0", Left: "0.425"},
		}
		assert.Equal(t, want, m.Budgets())
		_, err = io.ReadAll(res.Body)
		require.NoError(t, err)
		assert.EqualValues(t, "0.2575", m.Budgets()[2].Spent)
		assert.EqualValues(t, "0.7425", m.Budgets()[2].Left)
	})
}

func TestBudgetStateHasJSON(t *testing.T) {
	t.Parallel()
	state := meter.BudgetState{Budget: meter.Budget{USD: "1", Per: meter.PeriodDay, Label: "user", PerCall: "0.1"}, Label: "ann", Period: "2026-11-22", Spent: "0.5", Reserved: "0.1", Left: "0.4"}
	text, err := json.Marshal(state)
	require.NoError(t, err)
	assert.JSONEq(t, `{"budget":{"usd":"1","per":"day","label":"user","per_call":"0.1"},"label":"ann","period":"2026-11-22","spent":"0.5","reserved":"0.1","left":"0.4"}`, string(text))
}
