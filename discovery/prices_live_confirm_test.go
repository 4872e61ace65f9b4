package discovery_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// confirmedToday has a day of the row of gpt-4.1.
func confirmedToday() string {
	return "provider,model_id,above,valid_from,mode,modality,confirmed_at\nopenai,gpt-4.1,0,,,," + time.Now().UTC().Format(time.DateOnly) + "\n"
}

func TestConfirmPrices(t *testing.T) {
	t.Parallel()
	s := discoverytest.New(t)
	s.SetPrices(newerTable(t))
	s.Fail(discoverytest.GetConfirmed, discoverytest.Fault{Body: confirmedToday()})
	c, failures := updateClient(s)
	updated, err := c.UpdatePrices(t.Context(), nil)
	require.NoError(t, err)
	list, err := c.ConfirmPrices(t.Context(), updated)
	require.NoError(t, err)
	assert.Empty(t, *failures)
	assert.Equal(t, max(time.Now().UTC().Format(time.DateOnly), updated.AsOf().Format(time.DateOnly)), list.AsOf().Format(time.DateOnly))
	cost, err := list.CostOf(gpt41)
	require.NoError(t, err)
	assert.EqualValues(t, "1", cost.USD, "the prices are those of UpdatePrices")
	for _, r := range s.Requests() {
		assert.Empty(t, r.Keys)
	}
	same, err := c.ConfirmPrices(t.Context(), nil)
	require.NoError(t, err)
	assert.Equal(t, prices.BuiltIn().ForModel(models.OpenAI, "gpt-4o"), same.ForModel(models.OpenAI, "gpt-4o"))
}

func TestConfirmPricesReportsFaults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault  discoverytest.Fault
		reason discovery.Reason
	}{
		"no file":       {discoverytest.Fault{Status: http.StatusNotFound}, discovery.ReasonStatus},
		"no connection": {discoverytest.Fault{HangUp: true}, discovery.ReasonNetwork},
		"HTML":          {discoverytest.Fault{Body: "<html></html>\n"}, discovery.ReasonDecode},
		"no such row":   {discoverytest.Fault{Body: confirmedToday() + "openai,gpt-0,0,,,,2026-11-22\n"}, discovery.ReasonDecode},
	} {
		s := discoverytest.New(t)
		s.Fail(discoverytest.GetConfirmed, c.fault)
		client, failures := updateClient(s, discovery.WithStrictErrors())
		base := prices.BuiltIn()
		list, err := client.ConfirmPrices(t.Context(), base)
		assert.Same(t, base, list, name)
		var failure *discovery.Failure
		require.ErrorAs(t, err, &failure, name)
		assert.Equal(t, c.reason, failure.Reason, name)
		assert.Contains(t, err.Error(), "ConfirmPrices: price table", name)
		assert.Len(t, *failures, 1, name)
	}
}
