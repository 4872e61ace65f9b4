package meter_test

import (
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"math/big"
	"net/http"
	"net/http/httptest"
	"slices"
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

// sequence yields records.
func sequence(records ...calls.Record) iter.Seq2[calls.Record, error] {
	return func(yield func(calls.Record, error) bool) {
		for _, r := range records {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// callAt returns a record of a user's call.
func callAt(when time.Time, user string, usd prices.USD) calls.Record {
	return calls.Record{Provider: models.OpenAI, Model: "gpt-4o", Time: when, USD: usd, Labels: map[string]string{"user": user}}
}

// answering returns a client of a Meter whose calls all have the same response.
func answering(m *meter.Meter, body string) *http.Client {
	return &http.Client{Transport: m.Transport(roundTripper(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}, nil
	}))}
}

// atNoon sets the clock of a bubble to a day for which there are prices.
func atNoon() { time.Sleep(time.Until(time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC))) }

const openAIChat = "https://api.openai.com/v1/chat/completions"

// The clock of a program that wrote a record was wrong once: the record counts in its own period, and in no other.
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
			require.NotNil(t, refused, "the record of 2056 must not reopen the budget")
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
			assert.LessOrEqual(t, meter.Balances(m), 201, "day %d: those of two days, and of x", day)
			assert.Len(t, m.Budgets(), 100)
			time.Sleep(24 * time.Hour)
		}
		assert.Empty(t, m.Budgets())
		time.Sleep(24 * time.Hour)
		assert.Empty(t, m.Budgets())
		assert.Zero(t, meter.Balances(m))
	})
}

// A clock that jumps to other days and is set back must not reopen a budget, neither of the day nor of those.
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

// A record of the day before counts in its day: the clock may be ahead.
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

// A call settles with the day in which it began.
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

// login is a token of Claude Code's login.
const login = "sk-ant-oat01-" + "abcdefghijklmnopqrstuvwx0123456789ABCDEF-token"

// sendWith sends a chat with a header and returns the status.
func sendWith(t *testing.T, m *meter.Meter, url, host, authorization string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(chat))
	require.NoError(t, err)
	req.Host = host
	req.Header.Set("Authorization", authorization)
	res, err := m.Client().Do(req)
	require.NoError(t, err)
	_, _ = io.Copy(io.Discard, res.Body)
	require.NoError(t, res.Body.Close())
	return res.StatusCode
}

func TestBillingOfRecords(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ authorization, host, path, want string }{
		"login":         {"Bearer " + login, "", "/v1/messages", "subscription"},
		"other case":    {"bearer  " + login, "", "/v1/messages", "subscription"},
		"key":           {"Bearer sk-ant-api03-key", "", "/v1/messages", ""},
		"key of OpenAI": {"Bearer sk-proj-key", "", "/v1/chat/completions", ""},
		"another word":  {"Basic " + login, "", "/v1/messages", ""},
		"no header":     {"", "", "/v1/messages", ""},
		"ChatGPT":       {"Bearer eyJhbGciOiJ", "chatgpt.com", "/backend-api/codex/responses", "subscription"},
		"its port":      {"Bearer eyJhbGciOiJ", "ChatGPT.com:443", "/backend-api/codex/responses", "subscription"},
		"another path":  {"Bearer eyJhbGciOiJ", "chatgpt.com", "/v1/responses", ""},
		"another host":  {"Bearer eyJhbGciOiJ", "chatgpt.com.example.com", "/backend-api/codex/responses", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, m, records := metered(t, answer(chatAnswer))
			assert.Equal(t, http.StatusOK, sendWith(t, m, url+test.path, test.host, test.authorization))
			require.Len(t, records.all(), 1)
			r := records.all()[0]
			assert.Equal(t, test.want, r.Billing)
			text, err := json.Marshal(r)
			require.NoError(t, err)
			assert.NotContains(t, string(text), "abcdefghijklm")
			assert.NotContains(t, string(text), "eyJ")
		})
	}
}

// A meter knows ChatGPT, and counts what Codex calls there. Other paths are those of the website.
func TestChatGPTIsKnown(t *testing.T) {
	t.Parallel()
	records := &recorder{}
	m, err := meter.New(meter.WithRecorder(records.record))
	require.NoError(t, err)
	transport := m.Transport(roundTripper(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(chatAnswer))}, nil
	}))
	for _, path := range []string{"/backend-api/codex/responses", "/backend-api/conversation", "/backend-api/wham/tasks", "/responses", "/api/messages"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://chatgpt.com"+path, strings.NewReader(chat))
		require.NoError(t, err)
		res, err := transport.RoundTrip(req)
		require.NoError(t, err)
		_, _ = io.Copy(io.Discard, res.Body)
		require.NoError(t, res.Body.Close())
	}
	require.Len(t, records.all(), 1)
	r := records.all()[0]
	assert.Equal(t, []string{"openai", "gpt-4o-2024-08-06", "subscription", chatUSD}, []string{string(r.Provider), r.Model, r.Billing, string(r.USD)})
}

// Budgets count subscriptions, unless they are told not to.
func TestBudgetsOfSubscriptions(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		opts   []meter.Option
		status []int // of two calls with a login and two with a key
		spent  string
	}{
		"counted":      {nil, []int{200, 200, 402, 402}, "0.015"},
		"charges only": {[]meter.Option{meter.WithChargesOnly()}, []int{200, 200, 200, 200}, "0.015"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, m, records := metered(t, answer(chatAnswer), append(test.opts, meter.WithBudget(meter.Budget{USD: "0.015", PerCall: "0.0001"}))...)
			var status []int
			for _, token := range []string{login, login, "key", "key"} {
				status = append(status, sendWith(t, m, url+"/v1/chat/completions", "", "Bearer "+token))
			}
			assert.Equal(t, test.status, status)
			assert.EqualValues(t, test.spent, m.Budgets()[0].SpentUSD)
			// The same after a restart.
			again, err := meter.New(append(test.opts, meter.WithBudget(meter.Budget{USD: "0.015"}), meter.WithLogger(slog.New(slog.DiscardHandler)))...)
			require.NoError(t, err)
			require.NoError(t, again.Restore(func(yield func(calls.Record, error) bool) {
				for _, r := range records.all() {
					if !yield(r, nil) {
						return
					}
				}
			}))
			assert.EqualValues(t, test.spent, again.Budgets()[0].SpentUSD)
		})
	}
}

// A login's calls have a list price in Spent as well.
func TestSpentHasListPrices(t *testing.T) {
	t.Parallel()
	url, m, records := metered(t, answer(chatAnswer), meter.WithPrices(prices.BuiltIn()))
	sendWith(t, m, url+"/v1/chat/completions", "", "Bearer "+login)
	assert.EqualValues(t, chatUSD, m.Spent().USD)
	assert.True(t, slices.ContainsFunc(records.all(), func(r calls.Record) bool { return r.USD == chatUSD }))
}

// TestNoBoundIsAboveTheCost breaks every recorded stream off behind each of its lines.
func TestNoBoundIsAboveTheCost(t *testing.T) {
	t.Parallel()
	streams, prefixes, bounds := 0, 0, 0
	for _, e := range exchanges(t) {
		body := e.Response.Body
		whole := send(t, &e, 1<<20, false)
		if e.Response.Status != http.StatusOK || len(whole) != 1 || !whole[0].Stream || whole[0].Incomplete {
			continue
		}
		streams++
		assert.True(t, whole[0].USD == "" || whole[0].BoundUSD == "", e.Name)
		cost, priced := new(big.Rat).SetString(string(whole[0].USD))
		for end := range len(body) {
			if body[end] != '\n' {
				continue
			}
			cut := e
			cut.Response.Body = body[:end+1]
			r := send(t, &cut, 1<<20, false)[0]
			if !r.Incomplete {
				break
			}
			prefixes++
			if r.BoundUSD == "" {
				continue
			}
			bounds++
			bound, ok := new(big.Rat).SetString(string(r.BoundUSD))
			require.True(t, ok, r.BoundUSD)
			assert.Positive(t, bound.Sign())
			assert.Empty(t, r.USD)
			assert.NotEmpty(t, r.Unpriced)
			if priced {
				require.LessOrEqual(t, bound.Cmp(cost), 0, "%s: %s is above %s", e.Name, r.BoundUSD, whole[0].USD)
			}
		}
	}
	t.Logf("%d streams, %d prefixes, %d bounds", streams, prefixes, bounds)
	assert.Greater(t, streams, 30)
	assert.Greater(t, bounds, 500)
}

// messageStart is the beginning of a stream of Claude.
const messageStart = `event: message_start
data: {"type":"message_start","message":{"id":"msg_1","model":"claude-sonnet-5","usage":{"input_tokens":4,"cache_creation_input_tokens":9550,"cache_read_input_tokens":120,"cache_creation":{"ephemeral_5m_input_tokens":9550,"ephemeral_1h_input_tokens":0},"output_tokens":1,"service_tier":"standard"}}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello"}}

`

// startUSD is what messageStart costs.
func startUSD(t *testing.T) prices.USD {
	t.Helper()
	cost, err := prices.BuiltIn().CostOf(prices.Call{
		Provider: models.Anthropic, Model: "claude-sonnet-5", At: time.Now(), Usage: prices.Usage{Input: 4, CacheWrite5m: 9550, CacheRead: 120, Output: 1},
	})
	require.NoError(t, err)
	return cost.USD
}

// claude starts a server whose streams never end by themselves.
func claude(t *testing.T, opts ...meter.Option) (url string, m *meter.Meter, records *recorder) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, messageStart)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	t.Cleanup(s.Close)
	records = &recorder{}
	m, err := meter.New(append(opts, meter.WithEndpoint(meter.Endpoint{Host: strings.TrimPrefix(s.URL, "http://"), API: models.Anthropic}), meter.WithRecorder(records.record))...)
	require.NoError(t, err)
	return s.URL, m, records
}

// abort reads the beginning of a response and closes it.
func abort(t *testing.T, m *meter.Meter, url string) (status int) {
	t.Helper()
	res, err := post(t.Context(), m.Client(), url+"/v1/messages", `{"model":"claude-sonnet-5","stream":true}`)
	require.NoError(t, err)
	defer res.Body.Close()
	if res.StatusCode == http.StatusOK {
		_, err = io.ReadFull(res.Body, make([]byte, len(messageStart)))
		require.NoError(t, err)
	}
	return res.StatusCode
}

func TestABudgetCountsAbortedStreams(t *testing.T) {
	t.Parallel()
	url, m, records := claude(t, meter.WithBudget(meter.Budget{USD: "0.001"}))
	sent := 0
	for range 20 {
		if abort(t, m, url) == http.StatusOK {
			sent++
		}
	}
	assert.Equal(t, 1, sent)
	bound := startUSD(t)
	assert.Equal(t, meter.Spent{USD: "0", AtLeastUSD: bound, Calls: 1, Unpriced: 1}, m.Spent())
	assert.Equal(t, bound, m.Budgets()[0].SpentUSD)
	r := records.all()[0]
	assert.Equal(t, bound, r.BoundUSD)
	assert.Empty(t, r.USD)
	assert.Equal(t, "the response was closed before its final counts", r.Unpriced)
}

func TestAnAbortedStreamCostsTheBoundOrPerCall(t *testing.T) {
	t.Parallel()
	for perCall, spent := range map[prices.USD]prices.USD{"0.01": "", "0.5": "0.5"} {
		url, m, _ := claude(t, meter.WithBudget(meter.Budget{USD: "1", PerCall: perCall}))
		assert.Equal(t, http.StatusOK, abort(t, m, url))
		if spent == "" {
			spent = startUSD(t)
		}
		assert.Equal(t, spent, m.Budgets()[0].SpentUSD)
		assert.EqualValues(t, "0", m.Budgets()[0].ReservedUSD)
	}
}

// A JSON array that was cut is not JSON, but its elements are.
func TestTheBoundOfACutArray(t *testing.T) {
	t.Parallel()
	for _, e := range exchanges(t) {
		if !strings.Contains(e.Name, "stream-array-cut") {
			continue
		}
		r := send(t, &e, 1<<20, false)[0]
		assert.NotEmpty(t, r.BoundUSD)
		assert.Nil(t, r.Usage)
	}
}

// Counts that are invalid have the bound of those that can be read: the call does not pass a budget at no cost.
func TestABudgetCountsCallsWithInvalidCounts(t *testing.T) {
	t.Parallel()
	const answer = `{"id":"c","model":"gpt-4o-2024-08-06","choices":[{"finish_reason":"stop"}],"usage":{`
	for usage, bound := range map[string]prices.USD{ // at 2.50, 1.25 and 10 USD for a million tokens
		`"prompt_tokens":1000,"completion_tokens":500,"total_tokens":1501`:                                                      "0.0075",
		`"prompt_tokens":1000,"completion_tokens":500,"total_tokens":1500,"completion_tokens_details":{"reasoning_tokens":501}`: "0.0075",
		`"prompt_tokens":1000,"completion_tokens":500,"total_tokens":1500,"prompt_tokens_details":{"cached_tokens":1001}`:       "0.00625",
		`"prompt_tokens":1000,"completion_tokens":500.5,"total_tokens":1500`:                                                    "0.0025",
		`"prompt_tokens":-1000,"completion_tokens":500,"total_tokens":1500`:                                                     "0.005",
		`"prompt_tokens":207000000000000000000,"completion_tokens":500,"total_tokens":207000000000000000500`:                    "0.005",
		`"prompt_tokens":"x"`:            "",
		`"promptTokenCount":5,"cost":-1`: "",
	} {
		for perCall, least := range map[prices.USD]prices.USD{"": "0", "0.05": "0.05"} {
			var records recorder
			m, err := meter.New(meter.WithBudget(meter.Budget{USD: "1", PerCall: perCall}), meter.WithRecorder(records.record))
			require.NoError(t, err)
			require.Nil(t, refusal(t.Context(), t, answering(m, answer+usage+"}}"), openAIChat, chat))
			r := records.all()[0]
			assert.Equal(t, []any{prices.USD(""), bound, false}, []any{r.USD, r.BoundUSD, !r.Incomplete}, usage)
			assert.Contains(t, r.Unpriced, "the counts are invalid")
			spent := bound
			if perCall != "" || bound == "" {
				spent = least
			}
			assert.Equal(t, spent, m.Budgets()[0].SpentUSD, usage)
		}
	}
}
