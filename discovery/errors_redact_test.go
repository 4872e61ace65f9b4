package discovery_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/test/redacted"
)

// TestNoExportedErrorShowsASecret passes secrets as arguments and has servers echo them,
// in discovery, prices, calls and meter.
func TestNoExportedErrorShowsASecret(t *testing.T) {
	t.Setenv("MESH_GATEWAY_TOKEN", "live-token-value-00")
	for _, secret := range []string{"live-token-value-00", "sk-ant-" + strings.Repeat("a", 20)} {
		for folder, errs := range map[string][]error{
			".":      discoveryErrors(t, secret),
			"prices": pricesErrors(secret),
			"calls":  callsErrors(t, secret),
			"meter":  meterErrors(t, secret),
		} {
			seen := make(redacted.Coverage)
			for _, err := range errs {
				require.Error(t, err, folder)
				seen.Check(t, err, secret, folder)
			}
			seen.CheckTypes(t, folder)
		}
	}
}

// echoServer responds to each request with the secret.
func echoServer(t *testing.T, secret string) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = fmt.Fprint(w, secret)
	}))
	t.Cleanup(server.Close)
	return server
}

func discoveryErrors(t *testing.T, secret string) []error {
	t.Helper()
	c, err := discovery.New(discovery.WithBaseURL(discovery.ServiceDeepSeek, echoServer(t, secret).URL), discovery.WithStrictErrors())
	require.NoError(t, err)
	_, refused := c.FetchDeepSeekBalance(t.Context(), discovery.BalanceOptions{APIKey: discovery.NewSecret(secret)})
	_, provider := c.ListModels(t.Context(), discovery.CatalogOptions{Provider: models.Provider(secret)})
	_, bill := discovery.ReadOpenAIBill(strings.NewReader(`{"data":[{"`+secret+`":`), discovery.BillOptions{})
	_, group := c.FetchOpenAICostBuckets(t.Context(), discovery.OpenAICostQuery{StartTime: 1, GroupBy: []discovery.GroupBy{discovery.GroupBy(secret)}})
	return []error{refused, provider, bill, group}
}

func pricesErrors(secret string) []error {
	list := prices.BuiltIn()
	_, model := list.CostOf(prices.Call{Provider: models.OpenAI, Model: secret, At: time.Now(), Usage: prices.Usage{Input: 1}})
	_, provider := list.CostOf(prices.Call{Provider: models.Provider(secret), Model: "gpt-5", At: time.Now()})
	_, platform := list.CostOf(prices.Call{Provider: models.OpenAI, Platform: prices.Platform(secret), Model: "gpt-5", At: time.Now()})
	_, csv := prices.ReadCSV(strings.NewReader(secret + "\n"))
	return []error{model, provider, platform, csv}
}

func callsErrors(t *testing.T, secret string) (errs []error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "calls.jsonl")
	require.NoError(t, os.WriteFile(file, []byte(`{"model":"`+secret+`","usage":"`+secret+`","provider":"`+secret+`"}`+"\n"+secret+"\n"), 0o600))
	for _, err := range calls.Read(calls.Options{Recorded: true}, file) {
		errs = append(errs, err)
	}
	_, by := calls.Sum(calls.Options{By: [][]string{{secret}}}, file)
	_, sum := calls.Sum(calls.Options{By: [][]string{{"model"}}}, file)
	return append(errs, by, sum)
}

func meterErrors(t *testing.T, secret string) []error {
	t.Helper()
	_, endpoint := meter.New(meter.WithEndpoint(meter.Endpoint{Host: "h", API: models.OpenAI, Platform: prices.PlatformAzure, Region: secret}))
	_, budget := meter.New(meter.WithBudget(meter.Budget{USD: prices.USD(secret), PerCall: prices.USD(secret)}))
	_, period := meter.New(meter.WithBudget(meter.Budget{USD: "1", Per: meter.Period(secret)}))
	_, parsed := meter.ParseBudget(secret)
	var records []calls.Record
	m, err := meter.New(meter.WithBudget(meter.Budget{USD: "0", Label: "user"}), meter.WithRecorder(func(r calls.Record) { records = append(records, r) }))
	require.NoError(t, err)
	req, err := http.NewRequestWithContext(meter.WithLabel(t.Context(), "user", secret), http.MethodPost, "https://api.openai.com/v1/chat/completions",
		strings.NewReader(`{"model":"`+secret+`"}`))
	require.NoError(t, err)
	resp, err := (&http.Client{Transport: m.Transport(http.DefaultTransport)}).Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	_, refusal := io.ReadAll(resp.Body)
	require.NotContains(t, fmt.Sprintf("%+v", records), secret)
	return []error{endpoint, budget, period, parsed, refusal}
}
