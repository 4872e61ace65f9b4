package discovery_test

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"encoding/xml"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
)

func TestEncodedQueriesContainNoKey(t *testing.T) {
	t.Parallel()
	key := strings.Join([]string{"a", "key", "0123456789"}, "-")
	options := discovery.PricingOptions{APIKey: key, TTL: time.Hour, Refresh: true}
	for _, query := range []any{
		discovery.OpenAICostQuery{AdminKey: key, StartTime: 86400, Limit: 7, GroupBy: []discovery.GroupBy{discovery.GroupByLineItem}},
		discovery.AnthropicCostQuery{AdminKey: key, Start: mayDay(1), End: mayDay(2), Limit: 31, GroupBy: []discovery.GroupBy{discovery.GroupByWorkspaceID}},
		discovery.XAICostQuery{ManagementKey: key, TeamID: "team", TimeUnit: discovery.TimeUnitDay},
		options,
		discovery.GeminiPriceQuery{Direction: discovery.Input, TierThresholdTokens: 200_000, PricingOptions: options},
		discovery.BalanceOptions{APIKey: key, Timeout: time.Minute},
	} {
		var encoded bytes.Buffer
		require.NoError(t, gob.NewEncoder(&encoded).Encode(query))
		inXML, err := xml.Marshal(query)
		require.NoError(t, err)
		inJSON, err := json.Marshal(query)
		require.NoError(t, err)
		for _, text := range []string{encoded.String(), string(inXML), string(inJSON)} {
			assert.NotContains(t, text, key, "%T", query)
		}

		decoded := reflect.New(reflect.TypeOf(query))
		require.NoError(t, gob.NewDecoder(&encoded).DecodeValue(decoded))
		again, err := json.Marshal(decoded.Interface())
		require.NoError(t, err)
		assert.JSONEq(t, string(inJSON), string(again), "everything but the key")
	}
}
