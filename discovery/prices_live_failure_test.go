package discovery_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// sleepUntilNovember moves a bubble to a day when the prices in these tests are valid.
func sleepUntilNovember() { time.Sleep(time.Until(time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC))) }

func TestLivePricesWithoutAKeyReportNoFailure(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sleepUntilNovember()
		s := newFakeServer(nil)
		none := discovery.WithKey(discovery.ServiceXAI, func(context.Context) (string, error) { return "", nil })
		for _, c := range []*discovery.Client{s.inProcess(), s.inProcess(none)} {
			usd, _ := exact(t, c, models.XAI, "grok-4.7", thousand, time.Time{})
			assert.EqualValues(t, "0.008", usd)
			usd, _ = exact(t, c, models.Gemini, "gemini-2.5-pro", thousand, time.Time{})
			assert.EqualValues(t, "0.01125", usd)
		}
		assert.Empty(t, s.reasons())
		assert.Zero(t, s.count("xai")+s.count("cloudbilling"))
	})
}

// If a live list is unreadable, that's one failure, and the table is used until the pause
// is over.
func TestFailedLivePriceListFallsBackToTheTable(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sleepUntilNovember()
		refused := func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprint(w, "not with ", r.Header.Get("Authorization"))
		}
		s := newFakeServer(map[string]http.HandlerFunc{"xai": refused, "cloudbilling": refused})
		c := s.inProcess(keyOf(discovery.ServiceXAI), keyOf(discovery.ServiceCloudBilling))
		for range 3 {
			usd, _ := exact(t, c, models.XAI, "grok-4.7", thousand, time.Time{})
			assert.EqualValues(t, "0.008", usd)
			usd, _ = exact(t, c, models.Gemini, "gemini-2.5-pro", thousand, time.Time{})
			assert.EqualValues(t, "0.01125", usd)
		}
		assert.Equal(t, []string{"gemini denied", "xai denied"}, s.reasons()[:2])
		assert.Equal(t, 2, s.count("xai")+s.count("cloudbilling"), "an outage is remembered")
		for _, f := range s.failures {
			assert.NotContains(t, f.Error(), "a.key.of.the.tests")
			assert.Equal(t, "LivePrices", f.Operation)
		}

		base := mustWith(t, prices.Row{Provider: models.XAI, ModelHint: "ours", InputPerMTok: "1"})
		strict := s.inProcess(keyOf(discovery.ServiceXAI), discovery.WithStrictErrors())
		list, err := strict.LivePrices(t.Context(), base)
		var failure *discovery.Failure
		require.ErrorAs(t, err, &failure)
		assert.Equal(t, models.XAI, failure.Provider)
		assert.Equal(t, base.Rows(""), list.Rows(""), "base comes back")

		vault := errors.New("the vault is sealed")
		sealed := s.inProcess(discovery.WithKey(discovery.ServiceXAI, func(context.Context) (string, error) { return "", vault }))
		usd, _ := exact(t, sealed, models.XAI, "grok-4.7", thousand, time.Time{})
		assert.EqualValues(t, "0.008", usd)
		assert.Contains(t, s.reasons(), "xai missing_credential")
	})
}

func TestFailedLivePriceListIsRequestedAgainAfterThePause(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sleepUntilNovember()
		s := newFakeServer(map[string]http.HandlerFunc{"xai": respondStatus(503, "")})
		c := s.inProcess(keyOf(discovery.ServiceXAI))
		for range 3 {
			usd, _ := exact(t, c, models.XAI, "grok-4.7", thousand, time.Time{})
			assert.EqualValues(t, "0.008", usd)
		}
		assert.Equal(t, 1, s.count("xai"))
		time.Sleep(discovery.DefaultOutageTTL)
		s.set("xai", respond(grok))
		usd, _ := exact(t, c, models.XAI, "grok-4.7", thousand, time.Time{})
		assert.EqualValues(t, "0.0035", usd)
		assert.Equal(t, 2, s.count("xai"))
	})
}

func TestLivePricesOfAnEndedContext(t *testing.T) {
	t.Parallel()
	s := newFakeServer(map[string]http.HandlerFunc{"xai": respond(grok)})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	list, err := s.client(t, keyOf(discovery.ServiceXAI), discovery.WithStrictErrors()).LivePrices(ctx, nil)
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, prices.BuiltIn().Rows(""), list.Rows(""))
}
