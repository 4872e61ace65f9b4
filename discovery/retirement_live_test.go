package discovery_test

import (
	"maps"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/internal/test/whole"
)

func TestRetirementsAreMergedWithLiveOnes(t *testing.T) {
	setKeys(t)
	s := providerServer(nil)
	s.set("openai", respond(`{"data":[{"id":"gpt-5.6","shutdown_date":"2099-01-02"},{"id":"o3","shutdown_date":null},{"id":"x","shutdown_date":"soon"}]}`))
	s.set("anthropic", func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, []string{"active", "deprecated", "retired"}, r.URL.Query()["lifecycle[]"])
		assert.Equal(t, "2023-06-01", r.Header.Get("anthropic-version"))
		_, _ = w.Write([]byte(`{"data":[
			{"id":"dated","lifecycle":"deprecated","retires_at":"2099-11-30T23:30:00-02:00"},
			{"id":"overdue","lifecycle":"active","retires_at":"2020-01-01T00:00:00Z"},
			{"id":"undated","lifecycle":"deprecated","retires_at":null},
			{"id":"gone","lifecycle":"retired","retires_at":"2021-01-01T00:00:00Z"},
			{"id":"gone-undated","lifecycle":"retired"},
			{"id":"gone-early","lifecycle":"retired","retires_at":"2099-01-01T00:00:00Z"},
			{"id":"alive","lifecycle":"active"},
			{"id":"plain"},
			{"id":"plain-dated","retires_at":"2099-05-05T00:00:00Z"},
			{"id":"unreadable","lifecycle":"active","retires_at":"soon"}]}`))
	})
	merged, err := s.client(t).Retirements(t.Context())
	require.NoError(t, err)
	registry := maps.Collect(merged.All())
	yesterday := time.Now().UTC().AddDate(0, 0, -1).Format(time.DateOnly)
	for id, want := range map[string]string{
		"dated": "2099-12-01", "overdue": "deprecated", "undated": "deprecated", "gone": "2021-01-01", "gone-undated": yesterday,
		"gone-early": yesterday, "alive": "", "plain": "", "plain-dated": "2099-05-05", "unreadable": "",
	} {
		assert.Equal(t, want, registry[models.ModelKey{Provider: models.Anthropic, ID: id}], id)
	}
	assert.Equal(t, "2099-01-02", registry[models.ModelKey{Provider: models.OpenAI, ID: "gpt-5.6"}])
	assert.NotContains(t, registry, models.ModelKey{Provider: models.OpenAI, ID: "x"})
	assert.Equal(t, discovery.Retirements()[models.ModelKey{Provider: models.OpenAI, ID: "o3"}], registry[models.ModelKey{Provider: models.OpenAI, ID: "o3"}],
		"null announces nothing, and takes nothing back")
	assert.True(t, merged.IsRetired(models.Anthropic, "gone-undated"))
	assert.False(t, merged.IsRetired(models.Anthropic, "overdue"))
	assert.Empty(t, s.reasons())
}

func TestRetirementsWithoutKeysOrProviders(t *testing.T) {
	s := providerServer(nil)
	registry, err := s.client(t).Retirements(t.Context())
	require.NoError(t, err)
	assert.Equal(t, models.Retirements(), registry)
	assert.Empty(t, s.reasons())

	setKeys(t)
	s.set("openai", respondStatus(403, ""))
	s.set("anthropic", respond(`{"data":`))
	registry, err = s.client(t).Retirements(t.Context())
	require.NoError(t, err)
	assert.Equal(t, models.Retirements(), registry)
	assert.ElementsMatch(t, []string{"openai denied", "anthropic decode"}, s.reasons())
	_, err = s.client(t, discovery.WithStrictErrors()).Retirements(t.Context())
	require.ErrorContains(t, err, "anthropic: decode")
}

// Live data takes precedence over the table in both directions.
func TestLiveRetirementsReplaceTheTable(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", keys["ANTHROPIC_API_KEY"])
	s := newFakeServer(map[string]http.HandlerFunc{"anthropic": respond(`{"has_more":false,"data":[
		{"id":"claude-opus-4-1-20250805","lifecycle":"active","retires_at":null},
		{"id":"claude-2.1","lifecycle":"retired","retires_at":null},
		{"id":"claude-sonnet-4-5-20250929","lifecycle":"deprecated","retires_at":"2099-03-01T00:00:00Z"},
		{"id":"claude-3-haiku-20240307","lifecycle":"deprecated","retires_at":"2026-04-20T00:00:00Z"},
		{"id":"claude-opus-4-20250514","lifecycle":"active","retires_at":"soon"}]}`)})
	registry, err := s.client(t).Retirements(t.Context())
	require.NoError(t, err)
	for id, want := range map[string]string{
		"claude-opus-4-1-20250805":   "", // active: not retired, whatever the table says
		"claude-opus-4-1":            "",
		"claude-2.1":                 "2025-07-21",
		"claude-sonnet-4-5-20250929": "2099-03-01",
		"claude-sonnet-4-5":          "2099-03-01", // the alias follows its build
		"claude-3-haiku-20240307":    "deprecated", // overdue
		"claude-opus-4-20250514":     "2026-06-15", // an unreadable date changes nothing
	} {
		date, _ := registry.RetirementDate(models.Anthropic, id)
		assert.Equal(t, want, date, id)
	}
	assert.Equal(t, models.StateListed, registry.Check(models.Anthropic, "claude-opus-4-1", time.Now()).State)
}

// An alias stands for one build, so it follows the newest one with its date, in whatever
// order the live list has them.
func TestAliasFollowsItsNewestBuild(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", keys["ANTHROPIC_API_KEY"])
	const (
		alias  = "claude-3-5-sonnet-latest" // all three have the date 2025-10-28 in the table
		older  = `{"id":"claude-3-5-sonnet-20240620","lifecycle":"retired","retires_at":"2025-10-22T00:00:00Z"}`
		newest = `{"id":"claude-3-5-sonnet-20241022","lifecycle":"retired","retires_at":"2025-11-11T00:00:00Z"}`
	)
	table := models.Retirements()
	for range whole.Cases(8, 1) { // map order is random
		for live, want := range map[string]string{
			older + "," + newest: "2025-11-11", newest + "," + older: "2025-11-11",
			older: "2025-10-28", // the newest build has kept its date
			`{"id":"claude-3-5-sonnet-20241022","lifecycle":"active"}`:                                   "",
			newest + `,{"id":"` + alias + `","lifecycle":"retired","retires_at":"2025-12-12T00:00:00Z"}`: "2025-12-12", // its own date comes first
		} {
			registry, err := newFakeServer(map[string]http.HandlerFunc{"anthropic": respond(`{"has_more":false,"data":[` + live + `]}`)}).inProcess().Retirements(t.Context())
			require.NoError(t, err)
			date, _ := registry.RetirementDate(models.Anthropic, alias)
			assert.Equal(t, want, date, live)
		}
	}
	assert.Equal(t, table, models.Retirements(), "the table is unchanged")
}
