package discovery_test

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

func balances(entries ...string) string {
	return `{"is_available":true,"balance_infos":[` + strings.Join(entries, ",") + `]}`
}

const (
	cny = `{"currency":"CNY","total_balance":"110.00","granted_balance":"10.00","topped_up_balance":"100.00"}`
	usd = `{"currency":"USD","total_balance":"9.87","granted_balance":"1.00","topped_up_balance":"8.87"}`
)

// balanceServer returns a server whose DeepSeek balance is body.
func balanceServer(body string) *fakeServer {
	return newFakeServer(map[string]http.HandlerFunc{"deepseek": func(w http.ResponseWriter, r *http.Request) {
		if r.Method+r.URL.Path != "GET/deepseek/user/balance" || r.Header.Get("Authorization") != "Bearer "+balanceKey || r.URL.RawQuery != "" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		_, _ = w.Write([]byte(body))
	}})
}

func fetchBalance(t *testing.T, s *fakeServer) *discovery.BalanceSnapshot {
	t.Helper()
	balance, err := s.client(t).FetchDeepSeekBalance(t.Context(), discovery.BalanceOptions{APIKey: discovery.NewSecret(balanceKey)})
	require.NoError(t, err)
	return balance
}

func TestBalanceIsInUSD(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		body, currency       string
		total, granted, paid float64
		available            bool
	}{
		"both":              {balances(cny, usd), "USD", 9.87, 1, 8.87, true},
		"dollars alone":     {balances(usd), "USD", 9.87, 1, 8.87, true},
		"lower case":        {balances(cny, strings.Replace(usd, "USD", "usd", 1)), "usd", 9.87, 1, 8.87, true},
		"no currency":       {balances(`{"total_balance":"1","granted_balance":"0","topped_up_balance":"1"}`), "USD", 1, 0, 1, true},
		"numbers":           {balances(`{"currency":"USD","total_balance":-0.5,"granted_balance":0E-6176,"topped_up_balance":1e1}`), "USD", -0.5, 0, 10, true},
		"not enough":        {`{"is_available":false,"balance_infos":[` + usd + `]}`, "USD", 9.87, 1, 8.87, false},
		"availability null": {`{"is_available":null,"balance_infos":[` + usd + `]}`, "USD", 9.87, 1, 8.87, true},
		"unknown fields":    {`{"balance_infos":[` + usd + `],"new":[1]}`, "USD", 9.87, 1, 8.87, true},
	} {
		s := balanceServer(row.body)
		b := fetchBalance(t, s)
		require.NotNil(t, b, name)
		assert.Equal(t, row.currency, b.Currency, name)
		assert.Equal(t, []float64{row.total, row.granted, row.paid}, []float64{b.TotalBalance, b.GrantedBalance, b.ToppedUpBalance}, name)
		assert.Equal(t, row.available, b.IsAvailable, name)
		assert.Equal(t, row.body, string(b.Raw), name)
		at, err := time.Parse(time.RFC3339, *b.FetchedAt)
		require.NoError(t, err)
		assert.Equal(t, time.UTC, at.Location())
		assert.WithinDuration(t, time.Now(), at, time.Minute)
		assert.Empty(t, s.failures)
	}
}

func TestInvalidBalanceIsAFailure(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"no entries":           balances(),
		"null":                 `{"is_available":true,"balance_infos":null}`,
		"nothing":              `{}`,
		"an error with 200":    `{"error":{"message":"busy"}}`,
		"no number":            balances(strings.Replace(usd, "9.87", "n/a", 1)),
		"empty":                balances(strings.Replace(usd, "9.87", "", 1)),
		"infinite":             balances(strings.Replace(usd, "9.87", "Infinity", 1)),
		"with a comma":         balances(strings.Replace(usd, "9.87", "9,87", 1)),
		"with a blank":         balances(strings.Replace(usd, "9.87", " 9.87", 1)),
		"beyond a float":       balances(strings.Replace(usd, "9.87", "1E400", 1)),
		"gift is no number":    balances(strings.Replace(usd, "1.00", "?", 1)),
		"payment beyond range": balances(strings.Replace(usd, "8.87", "1E400", 1)),
		"no total":             balances(`{"currency":"USD","granted_balance":"0","topped_up_balance":"1"}`),
		"no gift":              balances(`{"currency":"USD","total_balance":"1","topped_up_balance":"1"}`),
		"blank currency":       balances(strings.Replace(usd, "USD", " ", 1)),
		"no payment":           balances(`{"currency":"USD","total_balance":"1","granted_balance":"1"}`),
		"the only USD is bad":  balances(cny, strings.Replace(usd, "9.87", "n/a", 1)),
		"only yuan, one bad":   balances(cny, strings.Replace(cny, "110.00", "n/a", 1)),
	} {
		s := balanceServer(body)
		assert.Nil(t, fetchBalance(t, s), name)
		f := requireOneFailure(t, s, discovery.ReasonDecode)
		assert.Equal(t, 200, f.StatusCode)
		assert.Equal(t, models.DeepSeek, f.Provider)
		assert.Equal(t, "FetchDeepSeekBalance", f.Operation)
	}
}

func TestBalanceSnapshotJSON(t *testing.T) {
	t.Parallel()
	b := discovery.BalanceSnapshot{TotalBalance: 1.5, Currency: "USD", IsAvailable: true}
	assert.Equal(t, `{"total_balance":1.5,"granted_balance":0,"topped_up_balance":0,"currency":"USD","is_available":true,"fetched_at":null,"raw":null}`, asJSON(t, b))
}

func TestBalanceSendsOneRequest(t *testing.T) {
	t.Parallel()
	_, err := balanceServer(balances(usd)).inProcess().FetchDeepSeekBalance(t.Context(), discovery.BalanceOptions{Timeout: -1})
	requireValueError(t, err, "Timeout")
	synctest.Test(t, func(t *testing.T) {
		s := balanceServer(balances(usd))
		b, err := s.inProcess().FetchDeepSeekBalance(t.Context(), discovery.BalanceOptions{APIKey: discovery.NewSecret(balanceKey)})
		require.NoError(t, err)
		assert.Equal(t, "2000-01-01T00:00:00Z", *b.FetchedAt)
		assert.Equal(t, 1, s.count("deepseek"))
	})
}

func TestBalanceKeyPrecedence(t *testing.T) {
	file := filepath.Join(t.TempDir(), ".env")
	require.NoError(t, os.WriteFile(file, []byte("DEEPSEEK_API_KEY=from.file\n"), 0o600))
	for _, row := range []struct{ argument, environment, file, want string }{
		{" argument ", "environment", file, "Bearer argument"},
		{" ", " environment\n", file, "Bearer environment"},
		{"", " ", " " + file + " ", "Bearer from.file"},
	} {
		t.Setenv("DEEPSEEK_API_KEY", row.environment)
		t.Setenv("DEEPSEEK_LEGACY_ENV_PATH", row.file)
		got := ""
		s := newFakeServer(map[string]http.HandlerFunc{"deepseek": func(w http.ResponseWriter, r *http.Request) {
			got = r.Header.Get("Authorization")
			_, _ = w.Write([]byte(balances(usd)))
		}})
		b, err := s.inProcess().FetchDeepSeekBalance(t.Context(), discovery.BalanceOptions{APIKey: discovery.NewSecret(row.argument)})
		require.NoError(t, err)
		assert.NotNil(t, b)
		assert.Equal(t, row.want, got)
	}
}

func TestEnvFileIsNotReadBesideAKeyFunction(t *testing.T) {
	file := filepath.Join(t.TempDir(), "env")
	require.NoError(t, os.WriteFile(file, []byte("DEEPSEEK_API_KEY=a.key"), 0o600))
	t.Setenv("DEEPSEEK_LEGACY_ENV_PATH", file)
	s := newFakeServer(map[string]http.HandlerFunc{"deepseek": respond(balances(usd))})
	none := discovery.WithKey(discovery.ServiceDeepSeek, func(context.Context) (string, error) { return "", nil })
	balance, err := s.inProcess(none).FetchDeepSeekBalance(t.Context(), discovery.BalanceOptions{})
	require.NoError(t, err)
	assert.Nil(t, balance)
	assert.Zero(t, s.count("deepseek"))
}

func TestEnvFile(t *testing.T) {
	const name = "DEEPSEEK_API_KEY"
	for text, want := range map[string]string{
		name + "=a.key":                                   "a.key",
		name + " = a.key ":                                "a.key",
		"\uFEFF" + name + "=a.key\r\n":                    "a.key",
		"# " + name + "=old\n\n  " + name + "=a.key\n":    "a.key",
		"OTHER=1\nexport " + name + "=a.key\nMORE=2":      "a.key",
		"export\t" + name + `="a.key"`:                    "a.key",
		name + "='a.key'":                                 "a.key",
		name + `="a.key" # of the tests`:                  "a.key",
		name + "=a.key # of the tests":                    "a.key",
		name + "=a.key\t# of the tests":                   "a.key",
		name + "=a#key":                                   "a#key",
		name + `="a #key"`:                                "a #key",
		name + "=a=key=":                                  "a=key=",
		name + "=old\n" + name + "=a.key":                 "a.key",
		name + "=a.key\n" + strings.Repeat("x", 100_000):  "a.key",
		strings.Repeat("x", 100_000) + "\n" + name + "=k": "k",
		"MY_" + name + "=other\n" + name + "S=other":      "",
		name + "=":             "",
		name + "=''":           "",
		name + "= # nothing":   "",
		name + `="never ends`:  "",
		name + `="a"b`:         "",
		"export" + name + "=x": "",
		name:                   "",
		"":                     "",
	} {
		file := filepath.Join(t.TempDir(), "env")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		t.Setenv("DEEPSEEK_LEGACY_ENV_PATH", file)
		got := ""
		s := newFakeServer(map[string]http.HandlerFunc{"deepseek": func(w http.ResponseWriter, r *http.Request) {
			got = strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
			_, _ = w.Write([]byte(balances(usd)))
		}})
		_, err := s.inProcess().FetchDeepSeekBalance(t.Context(), discovery.BalanceOptions{})
		require.NoError(t, err)
		assert.Equal(t, want, got, "%.60q", text)
		if want == "" {
			requireOneFailure(t, s, discovery.ReasonMissingCredential)
		}
	}
}

// An unreadable file counts as a missing key. Neither its content nor its path is shown,
// since the path may be the key.
func TestUnreadableEnvFile(t *testing.T) {
	folder := t.TempDir()
	bad := filepath.Join(folder, "bad.of.the.tests")
	require.NoError(t, os.WriteFile(bad, []byte("OTHER=value.of.the.tests\n"), 0o600))
	endless := filepath.Join(folder, "endless.of.the.tests")
	require.NoError(t, os.WriteFile(endless, append(make([]byte, 2<<20), []byte("\nDEEPSEEK_API_KEY=too.late\n")...), 0o600))
	cut := filepath.Join(folder, "cut.of.the.tests") // the size limit cuts its key in half
	require.NoError(t, os.WriteFile(cut, []byte(strings.Repeat("x", 1<<20-30)+"\nDEEPSEEK_API_KEY=a.key.that.goes.on\n"), 0o600))
	for _, path := range []string{bad, folder, endless, cut, filepath.Join(folder, "none.of.the.tests"), "sk.pasted.of.the.tests", "/dev/zero"} {
		t.Setenv("DEEPSEEK_LEGACY_ENV_PATH", path)
		s := balanceServer(balances(usd))
		b, err := s.inProcess().FetchDeepSeekBalance(t.Context(), discovery.BalanceOptions{})
		require.NoError(t, err)
		assert.Nil(t, b)
		f := requireOneFailure(t, s, discovery.ReasonMissingCredential)
		assert.NotContains(t, f.Error(), "of.the.tests", path)
		assert.NotContains(t, f.Error(), folder, path)
		assert.Contains(t, f.Error(), "DEEPSEEK_LEGACY_ENV_PATH")
		assert.Equal(t, strings.Contains(path, "none") || strings.Contains(path, "pasted"), errors.Is(f, fs.ErrNotExist), "%s: %v", path, f)
		assert.Zero(t, s.count("deepseek"))
	}
}

func TestSpendBetween(t *testing.T) {
	t.Parallel()
	snapshot := func(total, granted, paid float64, currency string) discovery.BalanceSnapshot {
		return discovery.BalanceSnapshot{TotalBalance: total, GrantedBalance: granted, ToppedUpBalance: paid, Currency: currency}
	}
	for _, row := range []struct {
		before, after discovery.BalanceSnapshot
		want          float64
		wrong         string
	}{
		{snapshot(0.3, 0.1, 0.2, "USD"), snapshot(0.1, 0, 0.1, "USD"), 0.2, ""},
		{snapshot(110, 10, 100, "CNY"), snapshot(109.99, 10, 99.99, "CNY"), 0.01, ""},
		{snapshot(5, 0, 5, "USD"), snapshot(5, 0, 5, "USD"), 0, ""},
		{snapshot(1, 0, 1, ""), snapshot(-0.05, 0, -0.05, "usd"), 1.05, ""},
		{snapshot(1e-7, 0, 0, "USD"), snapshot(0, 0, 0, "USD"), 1e-7, ""},
		{snapshot(5, 0, 5, "USD"), snapshot(4, 0, 4, "CNY"), 0, "after"},
		{snapshot(5, 0, 5, ""), snapshot(4, 0, 4, "CNY"), 0, "after"},
		{snapshot(5, 0, 0, "USD"), snapshot(5.01, 0, 0, "USD"), 0, "TotalBalance"},
		{snapshot(100, 50, 50, "USD"), snapshot(90, 10, 80, "USD"), 0, "ToppedUpBalance"},
		{snapshot(100, 0, 100, "USD"), snapshot(90, 5, 85, "USD"), 0, "GrantedBalance"},
		{snapshot(math.NaN(), 0, 0, "USD"), snapshot(1, 0, 0, "USD"), 0, "TotalBalance"},
		{snapshot(1, 0, 0, "USD"), snapshot(math.Inf(-1), 0, 0, "USD"), 0, "TotalBalance"},
		{snapshot(1, 0, 0, "USD"), snapshot(1, math.NaN(), 0, "USD"), 0, "GrantedBalance"},
		{snapshot(1.7e308, 0, 0, "USD"), snapshot(-1.7e308, 0, 0, "USD"), 0, "TotalBalance"},
	} {
		got, err := discovery.SpendBetween(row.before, row.after)
		assert.Equal(t, row.want, got, "%v %v", row.before, row.after)
		if row.wrong == "" {
			require.NoError(t, err)
			continue
		}
		requireValueError(t, err, row.wrong)
	}
}

func TestBalanceWithoutPartsOrWithAnInvalidOtherCurrency(t *testing.T) {
	t.Parallel()
	b := fetchBalance(t, balanceServer(balances(`{"currency":"USD","total_balance":"1.5"}`)))
	require.NotNil(t, b)
	assert.Equal(t, []float64{1.5, 0, 0}, []float64{b.TotalBalance, b.GrantedBalance, b.ToppedUpBalance})
	for _, broken := range []string{strings.Replace(cny, "110.00", "n/a", 1), `{"currency":"CNY"}`, `7`, `null`, `[]`} {
		for _, body := range []string{balances(broken, usd), balances(usd, broken)} {
			b := fetchBalance(t, balanceServer(body))
			if assert.NotNil(t, b, body) {
				assert.Equal(t, 9.87, b.TotalBalance)
				assert.Equal(t, "USD", b.Currency)
				assert.JSONEq(t, body, string(b.Raw))
			}
		}
	}
}

// A caller who reads TotalBalance would take 7 yuan for 7 dollars.
func TestBalanceInOtherCurrenciesIsAFailure(t *testing.T) {
	t.Parallel()
	for want, body := range map[string]string{
		"only in CNY":      balances(cny),
		"only in EUR, CNY": balances(strings.Replace(cny, "CNY", "EUR", 1), cny),
	} {
		s := balanceServer(body)
		assert.Nil(t, fetchBalance(t, s))
		require.Len(t, s.failures, 1)
		assert.Equal(t, discovery.ReasonDecode, s.failures[0].Reason)
		assert.ErrorContains(t, s.failures[0].Err, want)
	}
}
