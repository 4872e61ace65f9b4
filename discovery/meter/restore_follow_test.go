package meter_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
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

func ended() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

func openLog(tb testing.TB, dir string) *calls.Log {
	tb.Helper()
	log, err := calls.OpenLog(dir)
	require.NoError(tb, err)
	tb.Cleanup(func() { log.Close() })
	return log
}

// spent lists each budget's label value and spent amount.
func spent(m *meter.Meter) (usd []string) {
	for _, b := range m.Budgets() {
		usd = append(usd, strings.TrimSpace(b.LabelValue+" "+string(b.SpentUSD)))
	}
	return usd
}

func TestFollowCountsThePresentPeriods(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		atNoon() // 2026-11-22
		dir := t.TempDir()
		others := openLog(t, dir)
		for days, usd := range map[int]prices.USD{-400: "100", -22: "10", -21: "1", -1: "0.1", 0: "0.01"} {
			others.Record(callAt(time.Now().AddDate(0, 0, days), "ana", usd))
		}
		others.Record(callAt(time.Now(), "ben", "0.001"))
		m, err := meter.New(meter.WithBudget(meter.Budget{USD: "1000"}), meter.WithBudget(meter.Budget{USD: "5", Per: meter.PeriodDay}),
			meter.WithBudget(meter.Budget{USD: "5", Per: meter.PeriodMonth, Label: "user"}))
		require.NoError(t, err)
		log := openLog(t, dir)
		require.NoError(t, m.Follow(ended(), log))
		want := []string{"111.111", "0.011", "ana 1.11", "ben 0.001"}
		assert.Equal(t, want, spent(m))
		require.NoError(t, m.Follow(ended(), log))
		assert.Equal(t, want, spent(m), "nothing is counted twice")
		assert.Equal(t, meter.Spent{USD: "0", AtLeastUSD: "0"}, m.Spent())
	})
}

func TestFollowCountsWhatOthersAppend(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.Date(2026, 11, 22, 23, 59, 58, 500_000_000, time.UTC)))
		dir := t.TempDir()
		others, log := openLog(t, dir), openLog(t, dir)
		m, err := meter.New(meter.WithBudget(meter.Budget{USD: "1", Per: meter.PeriodDay}), meter.WithBudget(meter.Budget{USD: "5", Per: meter.PeriodMonth}),
			meter.WithRecorder(log.Record))
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		result := make(chan error, 1)
		go func() { result <- m.Follow(ctx, log) }()
		synctest.Wait()
		began := time.Now()
		others.Record(callAt(began, "", "0.4"))
		assert.Nil(t, refusal(t.Context(), t, answering(m, chatAnswer), openAIChat, chat)) // log has its own file
		assert.Equal(t, []string{chatUSD, chatUSD}, spent(m))
		time.Sleep(time.Second + time.Millisecond)
		assert.Equal(t, []string{"0.4075", "0.4075"}, spent(m))

		time.Sleep(time.Second) // it's the 23rd
		others.Record(callAt(began, "", "0.7"))
		others.Record(callAt(time.Now(), "", "1"))
		time.Sleep(time.Second)
		assert.Equal(t, []string{"1", "2.1075"}, spent(m), "a call belongs to the day it was sent")
		refused := refusal(t.Context(), t, answering(m, chatAnswer), openAIChat, chat)
		require.NotNil(t, refused)
		assert.EqualValues(t, "1", refused.SpentUSD)
		cancel()
		require.NoError(t, <-result)
		others.Record(callAt(time.Now(), "", "1"))
		time.Sleep(time.Hour)
		assert.Equal(t, []string{"1", "2.1075"}, spent(m))
	})
}

// As in Restore, a record without a cost counts as PerCall or its lower bound.
func TestFollowCountsUnpricedCallsAsRestore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	unknown := calls.Record{Provider: "openai", Model: "gpt-none", Time: time.Now(), Unpriced: "x"}
	atLeast := unknown
	atLeast.BoundUSD, atLeast.UpstreamUSD = "2", "0.5"
	others := openLog(t, dir)
	others.Record(unknown)
	others.Record(atLeast)
	m, err := meter.New(meter.WithBudget(meter.Budget{USD: "5", Per: meter.PeriodDay, PerCall: "0.05"}), meter.WithBudget(meter.Budget{USD: "5"}))
	require.NoError(t, err)
	require.NoError(t, m.Follow(ended(), openLog(t, dir)))
	assert.Equal(t, []string{"2.55", "2.5"}, spent(m))
}

func TestFollowCountsChargesOnly(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	subscribed := callAt(time.Now(), "", "2")
	subscribed.Billing = "subscription"
	others := openLog(t, dir)
	others.Record(subscribed)
	others.Record(callAt(time.Now(), "", "0.5"))
	for want, opts := range map[string][]meter.Option{"2.5": nil, "0.5": {meter.WithChargesOnly()}} {
		m, err := meter.New(append(opts, meter.WithBudget(meter.Budget{USD: "5"}))...)
		require.NoError(t, err)
		require.NoError(t, m.Follow(ended(), openLog(t, dir)))
		assert.Equal(t, []string{want}, spent(m))
	}
}

func TestFollowReadsOnAfterErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	log := openLog(t, dir)
	for i := range 200 {
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.jsonl", i)), []byte("{no}\n"), 0o600))
	}
	openLog(t, dir).Record(callAt(time.Now(), "", "0.5"))
	m, err := meter.New(meter.WithBudget(meter.Budget{USD: "1"}))
	require.NoError(t, err)
	err = m.Follow(ended(), log)
	var wrong *calls.LineError
	require.ErrorAs(t, err, &wrong)
	assert.Equal(t, 99, strings.Count(err.Error(), "\n"), "100 errors")
	assert.Equal(t, []string{"0.5"}, spent(m))
	for _, log := range []*calls.Log{nil, {}} {
		var invalid *meter.ValueError
		require.ErrorAs(t, m.Follow(t.Context(), log), &invalid)
	}
}

// The programs share a budget of 1 USD. Each makes ten calls per second, one at a time: a
// call costs 0.0075 USD and takes 100 ms. They start at different times within a second.
// Follow documents the bound.
func TestEightProgramsShareABudget(t *testing.T) {
	t.Parallel()
	const programs, each, cost, limit = 8, 10, 0.0075, 1.0
	bound := limit + cost + (programs-1)*(each+1)*cost
	synctest.Test(t, func(t *testing.T) {
		atNoon()
		dir := t.TempDir()
		ctx, cancel := context.WithCancel(t.Context())
		var group, following sync.WaitGroup
		for i := range programs {
			log := openLog(t, dir)
			m, err := meter.New(meter.WithBudget(meter.Budget{USD: "1", Per: meter.PeriodDay}), meter.WithRecorder(log.Record))
			require.NoError(t, err)
			slow := &http.Client{Transport: m.Transport(roundTripper(func(*http.Request) (*http.Response, error) {
				time.Sleep(time.Second / each)
				return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(chatAnswer))}, nil
			}))}
			following.Go(func() {
				time.Sleep(time.Duration(i) * time.Second / programs)
				assert.NoError(t, m.Follow(ctx, log))
			})
			group.Go(func() {
				time.Sleep(time.Duration(i) * time.Second / programs)
				for refusal(ctx, t, slow, openAIChat, chat) == nil {
				}
			})
		}
		group.Wait()
		cancel()
		following.Wait()
		sum, err := calls.NewTotals()
		require.NoError(t, err)
		for r, err := range calls.Read(calls.Options{Recorded: true}, dir) {
			require.NoError(t, err)
			require.NoError(t, sum.Add(r))
		}
		total := sum.Groups()[0].USD.Float64()
		t.Logf("eight programs spent %.4f USD of 1 USD; the bound is %.4f", total, bound)
		assert.Greater(t, total, limit)
		assert.LessOrEqual(t, total, bound)
	})
}

// BenchmarkFollow reads 10,000 files from today with one call each, then checks them
// again.
func BenchmarkFollow(b *testing.B) {
	dir := b.TempDir()
	log := openLog(b, dir)
	for range 10_000 {
		other, err := calls.OpenLog(dir)
		require.NoError(b, err)
		other.Record(callAt(time.Now(), "", "0.01"))
		require.NoError(b, other.Close())
	}
	var again time.Duration
	for b.Loop() {
		m, err := meter.New(meter.WithBudget(meter.Budget{USD: "5", Per: meter.PeriodDay}))
		require.NoError(b, err)
		require.NoError(b, m.Follow(ended(), log))
		require.Equal(b, []string{"100"}, spent(m))
		again += timed(func() { require.NoError(b, m.Follow(ended(), log)) })
	}
	b.ReportMetric(again.Seconds()/float64(b.N), "again-s/op")
}

// An unreadable line's cost is unknown: by default it costs nothing, and with WithStrict
// all calls are refused.
func TestStrictBudgetsRefuseWhatFollowsAnUnreadableLine(t *testing.T) {
	t.Parallel()
	for strict, opts := range map[bool][]meter.Option{false: nil, true: {meter.WithStrict()}} {
		synctest.Test(t, func(t *testing.T) {
			atNoon()
			dir := t.TempDir()
			others, log := openLog(t, dir), openLog(t, dir)
			others.Record(callAt(time.Now(), "", "0.1"))
			m, err := meter.New(append(opts, meter.WithBudget(meter.Budget{USD: "100", Per: meter.PeriodDay}))...)
			require.NoError(t, err)
			ctx, cancel := context.WithCancel(t.Context())
			result := make(chan error, 1)
			go func() { result <- m.Follow(ctx, log) }()
			synctest.Wait()
			assert.Nil(t, refusal(t.Context(), t, answering(m, chatAnswer), openAIChat, chat))
			name := filepath.Join(dir, "2026-11-22-x.jsonl")
			require.NoError(t, os.WriteFile(name, []byte(`{"provider":"openai","model":"gpt-4o","time":"2026-11-22T12:00:00Z","usd":"90","usd":"0"}`+"\n"), 0o600))
			time.Sleep(2 * time.Second)
			synctest.Wait()
			refused := refusal(t.Context(), t, answering(m, chatAnswer), openAIChat, chat)
			assert.Equal(t, strict, refused != nil)
			if strict {
				require.ErrorContains(t, refused.Unread, name+":1: a key is repeated")
				require.ErrorContains(t, refused, "refuses all calls: unknown spending: calls: "+name+":1: ")
			}
			cancel()
			require.Error(t, <-result)
		})
	}
}
