package discovery_test

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// keyedQueries returns a query of each type, with the key.
func keyedQueries(text string) []any {
	key := discovery.NewSecret(text)
	options := discovery.PricingOptions{APIKey: key, TTL: time.Hour, Refresh: true}
	return []any{
		discovery.OpenAICostQuery{AdminKey: key, StartTime: 86400, Limit: 7, GroupBy: []discovery.GroupBy{discovery.GroupByLineItem}},
		discovery.AnthropicCostQuery{AdminKey: key, Start: mayDay(1), End: mayDay(2), Limit: 31, GroupBy: []discovery.GroupBy{discovery.GroupByWorkspaceID}},
		discovery.XAICostQuery{ManagementKey: key, TeamID: "team", TimeUnit: discovery.TimeUnitDay},
		options,
		discovery.GeminiPriceQuery{Direction: discovery.Input, TierThresholdTokens: 200_000, PricingOptions: options},
		discovery.BalanceOptions{APIKey: key, Timeout: time.Minute},
	}
}

// failing records a failed assertion's text.
type failing struct{ text string }

func (f *failing) Errorf(format string, args ...any) { f.text += fmt.Sprintf(format, args...) }

// A program keeps its query in an unexported field, where fmt and testify call no
// methods.
func TestQueriesInUnexportedFieldsShowNoKey(t *testing.T) {
	t.Parallel()
	type job struct {
		query   any
		pointer *any
	}
	key, other := strings.Join([]string{"a", "key", "0123456789"}, "-"), keyedQueries("another-key-0123456789")
	for i, query := range keyedQueries(key) {
		mine, theirs := job{query, &query}, job{other[i], &other[i]}
		var diff failing
		assert.Equal(&diff, mine, theirs)
		require.Contains(t, diff.text, "Diff:")
		shown := diff.text + fmt.Sprintf("%v %+v %#v", mine, mine, mine)
		for _, form := range []string{key, fmt.Sprintf("%x", key), "0123456789", "another-key"} {
			assert.NotContains(t, shown, form, "%T", query)
		}
		assert.Equal(t, job{keyedQueries(key)[i], &query}, mine, "equal keys are equal")
	}
}

func TestEncodedQueriesContainNoKey(t *testing.T) {
	t.Parallel()
	key := strings.Join([]string{"a", "key", "0123456789"}, "-")
	for _, query := range keyedQueries(key) {
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
