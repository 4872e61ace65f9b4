package shapes_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/internal/test/shapes"
)

// What can be decoded can be encoded, and the text decodes to a value that is encoded the same.
func FuzzShapes(f *testing.F) {
	for _, text := range []string{
		`{}`, `{` + allRequired + `}`, `{"array":null,"leaf":null,"map":null,"string":null,"x":[ 1 ]}`, `{"leaves":[{"id":1,"u":"<"}],"nested":[[1],[]]}`,
		`{"int32":1,"float":1e-7,"time":"2026-01-02T03:04:05.5+02:00","decimal":"1.5","any":{"a":[null,1e400]},"bytes":"AQI=","date":"2026-01-02"}`,
		`{"id":"i",` + allChanged + `}`, `{"id":"i",` + allNull + `}`, `{"partly":{"x-b":2},"tuple":[1e2],"small":2.5e1}`,
		`{"one":{"id":1,"extra":"e"},"many":[]}`, `{"id":1,"a":"x"}`, `{"$id":"\u2028","a<b":"<"}`, `{"p068":"","p069":""}`, `{"list":[],"count":null}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, into := range []object{
			&shapes.Required{}, &shapes.RequiredNullable{}, &shapes.Defaults{}, &shapes.Scalars{}, &shapes.Containers{},
			&shapes.HoldsCombined{}, &shapes.TypedExtras{}, &shapes.NullableExtras{}, &shapes.AnyExtras{}, &shapes.Tree{}, &shapes.Formats{}, &shapes.References{}, &shapes.GoMap{}, &shapes.Unions{}, &shapes.NullArms{},
			&shapes.OddNames{}, &shapes.Wide{}, &shapes.Leaf{}, &shapes.OpenChanges{}, &shapes.Constants{}, &shapes.Things{}, &shapes.Deep{},
		} {
			checkRoundTrip(t, into, data)
		}
	})
}

func checkRoundTrip(t *testing.T, first object, data []byte) {
	t.Helper()
	err := first.UnmarshalJSON(data)
	text, encodeErr := json.Marshal(first)
	_ = fmt.Sprint(first) // a partial value must not panic either
	if err != nil {
		return
	}
	require.True(t, json.Valid(data))
	require.NoError(t, encodeErr, "%s", data)

	second, _ := reflect.New(reflect.TypeOf(first).Elem()).Interface().(object)
	require.NoError(t, second.UnmarshalJSON(text), "%s", text)
	again, err := json.Marshal(second)
	require.NoError(t, err)
	require.Equal(t, string(text), string(again))
}
