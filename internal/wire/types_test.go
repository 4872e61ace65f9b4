// These types have features that our documents' generated types lack.

package wire_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/internal/wire"
)

type leaf struct {
	ID                   int64                      `json:"id"`
	Note                 *string                    `json:"note,omitempty"`
	AdditionalProperties map[string]json.RawMessage `json:"-"`
}

type containers struct {
	NullableItems        []*string                  `json:"nullableItems,omitempty"`
	NullableValues       map[string]*int64          `json:"nullableValues,omitempty"`
	Leaves               []leaf                     `json:"leaves,omitempty"`
	LeafMap              *map[string]leaf           `json:"leafMap,omitempty"`
	Lists                map[string][]leaf          `json:"lists,omitempty"`
	Times                []time.Time                `json:"times,omitempty"`
	Nullable             []string                   `json:"nullable,omitempty"`
	Parent               *containers                `json:"parent,omitempty"`
	AdditionalProperties map[string]json.RawMessage `json:"-"`
}

type scalars struct {
	Small                int32                `json:"small"`
	Unsigned             *uint8               `json:"unsigned,omitempty"`
	Float                *float32             `json:"float,omitempty"`
	Double               *float64             `json:"double,omitempty"`
	Time                 *time.Time           `json:"time,omitempty"`
	Decimal              *json.Number         `json:"decimal,omitempty"`
	Any                  any                  `json:"any,omitempty"`
	Enabled              *bool                `json:"enabled,omitempty"`
	Text                 string               `json:"text,omitempty"`
	Bytes                []byte               `json:"bytes,omitempty"`
	Change               wire.Change[[]int64] `json:"change,omitempty"`
	AdditionalProperties map[string]*int64    `json:"-"`
}

var (
	leafObject      = wire.Register[leaf](wire.Table{Fields: map[string]wire.Field{"id": {Required: true}}})
	containerObject = wire.Register[containers](wire.Table{Fields: map[string]wire.Field{"nullable": {Nullable: true}}})
	scalarObject    = wire.Register[scalars](wire.Table{Fields: map[string]wire.Field{
		"small": {Default: "7"}, "decimal": {Nullable: true}, "enabled": {Lenient: true}, "text": {Lenient: true},
	}})
)

func (v *leaf) UnmarshalJSON(data []byte) error       { return leafObject.Unmarshal(data, v) }
func (v leaf) MarshalJSON() ([]byte, error)           { return leafObject.Marshal(&v) }
func (v leaf) String() string                         { return wire.Print(v) }
func (v *containers) UnmarshalJSON(data []byte) error { return containerObject.Unmarshal(data, v) }
func (v containers) MarshalJSON() ([]byte, error)     { return containerObject.Marshal(&v) }
func (v containers) String() string                   { return wire.Print(v) }
func (v *scalars) UnmarshalJSON(data []byte) error    { return scalarObject.Unmarshal(data, v) }
func (v scalars) MarshalJSON() ([]byte, error)        { return scalarObject.Marshal(&v) }
func (v scalars) String() string                      { return wire.Print(v) }

func TestNullAndAbsenceOfContainersDiffer(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`{}`, `{"nullable":null}`, `{"nullable":[]}`, `{"leaves":null}`, `{"parent":null}`} {
		var v containers
		require.NoError(t, v.UnmarshalJSON([]byte(text)))
		again, err := v.MarshalJSON()
		require.NoError(t, err)
		assert.Equal(t, text, string(again))
	}
	var v containers
	require.NoError(t, v.UnmarshalJSON([]byte(`{"nullable":null}`)))
	v.Nullable = []string{"a"}
	text, err := v.MarshalJSON()
	require.NoError(t, err)
	assert.Equal(t, `{"nullable":["a"]}`, string(text), "a value replaces the kept null")
}

// Any decoded value can be encoded, and the text decodes to a value with the same
// encoding.
func FuzzTypes(f *testing.F) {
	for _, text := range []string{
		`{}`, `{"id":1,"note":null,"x":[ 1 ]}`, `{"leaves":[{"id":1,"u":"<"}],"nullableItems":["a",null],"lists":{"k":[{"id":1}]},"parent":{"times":["2026-01-02T03:04:05Z"]}}`,
		`{"small":2.5e1,"unsigned":255.0,"float":1e-7,"decimal":"1.5","any":{"a":[null,1e400]},"enabled":1,"text":42,"bytes":"AQI=","change":[1],"u":null}`,
		`{"change":null,"small":null,"decimal":null,"any":null,"leafMap":{"a":{"id":1}},"nullable":null}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		roundTrip(t, new(leaf), new(leaf), data)
		roundTrip(t, new(containers), new(containers), data)
		roundTrip(t, new(scalars), new(scalars), data)
	})
}

func roundTrip(t *testing.T, first, second json.Unmarshaler, data []byte) {
	t.Helper()
	err := first.UnmarshalJSON(data)
	text, encodeErr := json.Marshal(first)
	_ = fmt.Sprint(first) // a partial value must not panic either
	if err != nil {
		return
	}
	require.True(t, json.Valid(data))
	require.NoError(t, encodeErr, "%s", data)
	require.NoError(t, second.UnmarshalJSON(text), "%s", text)
	again, err := json.Marshal(second)
	require.NoError(t, err)
	require.Equal(t, string(text), string(again))
}
