package discovery_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/internal/test/contract"
)

// The enumerations are written twice, in the documents and as constants. No other test notices when they differ.
func TestConstantsMatchTheDocuments(t *testing.T) {
	t.Parallel()
	xai, err := contract.New("xaimanagement")
	require.NoError(t, err)
	assert.ElementsMatch(t, xai.Document().Components.Schemas["AnalyticsRequest"].Value.Properties["timeUnit"].Value.Enum, []any{
		string(discovery.TimeUnitDay), string(discovery.TimeUnitHour), string(discovery.TimeUnitMonth), string(discovery.TimeUnitCalendarWeek),
		string(discovery.TimeUnitQuarterHour), string(discovery.TimeUnitMinute), string(discovery.TimeUnitSecond), string(discovery.TimeUnitNone),
	})

	openai, err := contract.New("openai")
	require.NoError(t, err)
	groups := openai.Document().Paths.Value("/v1/organization/costs").Get.Parameters.GetByInAndName("query", "group_by")
	require.NotNil(t, groups)
	assert.ElementsMatch(t, groups.Schema.Value.Items.Value.Enum, []any{
		string(discovery.GroupByLineItem), string(discovery.GroupByProjectID), string(discovery.GroupByAPIKeyID),
	})

	anthropic, err := contract.New("anthropic")
	require.NoError(t, err)
	groups = anthropic.Document().Paths.Value("/v1/organizations/cost_report").Get.Parameters.GetByInAndName("query", "group_by[]")
	require.NotNil(t, groups)
	assert.ElementsMatch(t, groups.Schema.Value.Items.Value.Enum, []any{string(discovery.GroupByWorkspaceID), string(discovery.GroupByDescription)})
}
