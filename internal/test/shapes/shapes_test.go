package shapes_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/internal/test/shapes"
	"github.com/mesh-gateway/mesh-go/internal/wire"
)

// object is a generated type.
type object interface {
	json.Marshaler
	json.Unmarshaler
}

// A case decodes in, encodes it again and compares with out; an empty out is in.
type roundTrip struct {
	name    string
	into    any
	in, out string
}

const allRequired = `"any":null,"array":[],"free":{},"ints":{},"leaf":{"id":1,"note":null},"leafMap":{},"map":{},"objects":{},"plain":[],"time":"2026-01-02T03:04:05Z"`

// allNull and allChanged have every nullable field of a request.
const (
	allNull = `"text":null,"count":null,"ratio":null,"flag":null,"color":null,"named":null,"cat":null,"list":null,"map":null,"nested":null,"either":null,
		"price":null,"time":null`
	allChanged = `"text":"","count":9007199254740993,"ratio":0.1,"flag":true,"color":"blue","named":"red","cat":{"kind":"c","u":9007199254740993},"list":["a"],
		"map":{"a":9007199254740993},"nested":{"a":null,"u":9007199254740993},"either":{"kind":"c","u":9007199254740993},"price":0.10,"time":"2026-01-02T03:04:05Z","other":"o"`
)

func TestShapesRoundTrip(t *testing.T) {
	t.Parallel()
	for _, c := range []roundTrip{
		{"required", &shapes.Required{}, `{` + allRequired + `}`, ""},
		{"required, filled", &shapes.Required{}, `{"any":[1,{"a":null}],"array":["x"],"free":{"n":9007199254740993},"ints":{"a":9007199254740993},
			"leaf":{"id":1,"note":"n","more":[ 1 ]},"leafMap":{"k":{"id":2,"note":null}},"map":{"a":"b"},"objects":{"o":{"id":3,"note":null}},
			"plain":[{"a":"x"}],"time":"2026-01-02T03:04:05.000000001+02:00","unknown":{"a":1}}`, ""},
		{"required and nullable", &shapes.RequiredNullable{}, `{"array":null,"leaf":null,"map":null,"string":null}`, ""},
		{"required and nullable, filled", &shapes.RequiredNullable{}, `{"array":[],"leaf":{"id":1,"note":null},"map":{},"string":""}`, ""},
		{"defaults", &shapes.Defaults{}, `{}`, `{"color":"green","count":3,"empty":[],"exact":9007199254740991,"flag":true,"free":{"a":[1,"x"]},
			"large":9007199254740993,"list":["a","b"],"map":{"a":1},"name":"unnamed","nullable":"d","ratio":0.25,"text":"a \"b\"",
			"time":"2026-01-02T03:04:05Z","value":"v"}`},
		{"null keeps a default unless it is a value", &shapes.Defaults{}, `{"count":null,"list":null,"map":null,"name":null,"nullable":null,"time":null,"value":null}`,
			`{"color":"green","count":3,"empty":[],"exact":9007199254740991,"flag":true,"free":{"a":[1,"x"]},"large":9007199254740993,
			"list":["a","b"],"map":{"a":1},"name":"unnamed","nullable":null,"ratio":0.25,"text":"a \"b\"","time":"2026-01-02T03:04:05Z","value":"v"}`},
		{"scalars", &shapes.Scalars{}, `{"any":1,"bytes":"AQI=","color":"blue","date":"2026-01-02","decimal":0.10,"double":1e-7,"enabled":true,"float":0.1,
			"inline":"x","int32":-2147483648,"int64":9007199254740993,"level":7,"task":"t","time":"2026-01-02T03:04:05Z","uuid":"6ba7b810-9dad-11d1-80b4-00c04fd430c8"}`, ""},
		{"tolerant scalars", &shapes.Scalars{}, `{"decimal":"1.50","enabled":0,"task":42}`, `{"decimal":1.50,"enabled":false,"task":"42"}`},
		{"nullable arms", &shapes.Scalars{}, `{"decimal":null,"task":null}`, ""},
		{"containers", &shapes.Containers{}, `{"anything":[1,null,"x"],"inline":[{"a":"b","c":1}],"leafMap":{"a":{"id":1,"note":null,"u":1}},
			"leaves":[{"id":1,"note":null,"u":1}],"lists":{"a":[{"id":1,"note":null}]},"maps":[{"a":1}],"names":["n"],"nested":[[1],[]],
			"nullableItems":["a",null],"nullableValues":{"a":1,"b":null},"times":["2026-01-02T03:04:05Z"]}`, ""},
		{"no containers", &shapes.Containers{}, `{}`, ""},
		{"no scalars", &shapes.Scalars{}, `{"any":null,"bytes":null,"time":null}`, `{"decimal":null,"task":null}`},
		{"containers in containers", &shapes.Tree{}, `{"byName":{"k":{"name":"c"}},"children":[{"name":"d","u":1}],"lists":[[[{"id":1,"note":null,"u":1}],[]],[]],
			"maps":{"a":{"b":{"id":1,"note":null}}},"name":"a","nullableLeaves":{"k":null,"l":{"id":1,"note":null}},"nullableLists":[null,["x"]],"parent":{"name":"b"}}`, ""},
		{"readOnly and writeOnly", &shapes.Directions{}, `{"id":"i","old":"o"}`, ""},
		{"readOnly and writeOnly, filled", &shapes.Directions{}, `{"code":"c","id":"i","old":"o"}`, ""},
		{"formats", &shapes.Formats{}, `{"booleans":true,"bounded":[9],"duration":"PT1H","email":"a@example.com","integers":7,"numbers":1.5,"other":"h",
			"uint64":18446744073709551615,"uint8":255,"unix":1,"uri":"http://x"}`, ""},
		{"map with a Go type", &shapes.GoMap{}, `{"map":{}}`, ""},
		{"map with a Go type, filled", &shapes.GoMap{}, `{"map":{"a":1},"optional":{}}`, ""},
		{"references", &shapes.References{}, `{"bytes":"","leaf":null,"raw":null}`, `{"arrayDefault":["a"],"bytes":"","color":null,"leaf":null,
			"leafDefault":{"id":7,"note":null},"levelDefault":2,"raw":null,"timeDefault":"2026-01-02T03:04:05Z"}`},
		{"references, filled", &shapes.References{}, `{"array":[{"id":1,"note":null}],"arrayDefault":[],"bytes":"AQ==","color":"red","leaf":{"id":1,"note":null,"u":1},
			"leafDefault":{"id":1,"note":null},"levelDefault":3,"map":{"a":{"id":1,"note":null,"u":1}},"raw":[1],"timeDefault":"2026-01-02T03:04:06Z"}`, ""},
		{"unions", &shapes.Unions{}, `{"flag":1,"inline":9007199254740993,"nullable":null,"pet":{"kind":"cat","u":9007199254740993},"petLeaf":{"id":1},"petMap":{"a":{"id":1}},
			"pets":[{"kind":"cat"}],"text":42}`, `{"flag":true,"inline":9007199254740993,"nullable":null,"pet":{"kind":"cat","u":9007199254740993},"petLeaf":{"id":1},
			"petMap":{"a":{"id":1}},"pets":[{"kind":"cat"}],"text":"42"}`},
		{"null as an arm", &shapes.NullArms{}, `{"array":null,"color":null,"leaf":null,"enum":null,"nested":null,"objects":null,"required":null,"scalars":null,"secret":null,
			"text":null,"tolerant":null,"types":null}`, `{"color":null,"leaf":null,"enum":null,"nested":null,"objects":null,"required":null,"scalars":null,"secret":null,
			"text":null,"tolerant":null,"types":null}`},
		{"null as an arm, filled", &shapes.NullArms{}, `{"array":["a"],"color":"red","leaf":{"id":1,"note":null,"u":1},"list":[null,{"id":1,"note":null}],"map":{"a":null,"b":1},
			"enum":"a","nested":false,"objects":{"a":"x"},"required":{"id":2,"note":"n"},"scalars":"s","text":"","tolerant":"t","types":9007199254740993,"u":1,"secret":null}`, ""},
		{"allOf with one arm that keeps unknown fields", &shapes.HoldsCombined{}, `{"many":[{"id":1,"note":null,"extra":"e","more":1}],"one":{"id":2,"note":null,"extra":"e"}}`, ""},
		{"object with a union", &shapes.HoldsUnion{}, `{"union":{"id":1,"kind":"k","more":1}}`, ""},
		{"typed additional properties", &shapes.TypedExtras{}, `{"id":1,"a":"x","b":"y"}`, ""},
		{"nullable additional properties", &shapes.NullableExtras{}, `{"id":1,"a":null,"b":{"id":2,"note":null,"u":1}}`, ""},
		{"any additional properties", &shapes.AnyExtras{}, `{"id":1,"a":[1],"b":null}`, ""},
		{"absent fields of a request", &shapes.Changes{}, `{"id":"i"}`, ""},
		{"null fields of a request", &shapes.Changes{}, `{"id":"i",` + allNull + `}`, ""},
		{"fields of a request", &shapes.Changes{}, `{"id":"i",` + allChanged + `}`, ""},
		{"a part of the fields of a request", &shapes.Changes{}, `{"id":"i","text":null,"count":0,"flag":false,"list":[],"map":{}}`, ""},
		{"absent fields of an open request", &shapes.OpenChanges{}, `{"id":"i","u":9007199254740993}`, ""},
		{"null fields of an open request", &shapes.OpenChanges{}, `{"id":"i","u":null,` + allNull + `}`, ""},
		{"fields of an open request", &shapes.OpenChanges{}, `{"id":"i","u":[ 1 ],` + allChanged + `}`, ""},
		{"absent fields of an inline request", &shapes.RenameThingJSONRequestBody{}, `{"reason":null,"u":1}`, ""},
		{"null fields of an inline request", &shapes.RenameThingJSONRequestBody{}, `{"name":null,"reason":"r"}`, ""},
		{"constants", &shapes.Constants{}, `{"type":"event","version":3,"ratio":0.5,"on":true,"zero":0,"text":"x","leaf":{"kind":"leaf"}}`, ""},
		{"other values than the constants", &shapes.Constants{}, `{"type":"other","version":4,"ratio":1.5,"on":true,"zero":1,"text":"x","leaf":{"kind":"k"},"maybe":"not","list":["y","x"],"u":1}`, ""},
		{"zero values of optional constants", &shapes.Constants{}, `{"type":"event","version":3,"ratio":0.5,"on":true,"zero":0,"text":"","leaf":{"kind":"leaf"},"maybe":""}`, ""},
		{"integers with a fraction or an exponent", &shapes.Constants{}, `{"type":"event","version":3.0,"ratio":0.5,"on":true,"zero":0.0,"text":"","leaf":{"kind":"leaf"}}`,
			`{"type":"event","version":3,"ratio":0.5,"on":true,"zero":0,"text":"","leaf":{"kind":"leaf"}}`},
		{"integers in containers", &shapes.Containers{}, `{"nested":[[1.0,1e3]],"nullableValues":{"a":5.0,"b":null}}`, `{"nested":[[1,1000]],"nullableValues":{"a":5,"b":null}}`},
		{"a small integer", &shapes.Things{}, `{"small":2.5e1}`, `{"small":25}`},
		{"unknown fields of an object that does not state them", &shapes.Things{}, `{"a":"x","u":{"big":9007199254740993},"n":9007199254740993}`, ""},
		{"unknown fields of an inline object", &shapes.Things{}, `{"nested":{"b":"x","n":9007199254740993},"list":[{"c":1,"d":[null]},{}]}`, ""},
		{"patterns", &shapes.Things{}, `{"byPattern":{"x-a":1,"other":"y","big":9007199254740993},"partly":{"d":"x","x-b":2,"y":{}}}`, ""},
		{"allOf with two arms that keep unknown fields", &shapes.Things{}, `{"both":{"id":1,"note":null,"kind":"cat","e":"x","u":9007199254740993}}`, ""},
		{"allOf beside properties", &shapes.Things{}, `{"more":{"id":1,"note":null,"e":"x","u":9007199254740993}}`, ""},
		{"a tuple", &shapes.Things{}, `{"tuple":["a",9007199254740993,null]}`, ""},
		{"conditions", &shapes.Things{}, `{"condition":{"f":"g","h":"i"},"bounded":4,"not":[9007199254740993]}`, ""},
		{"constants in a union", &shapes.Things{}, `{"anyOfConstants":"a","titled":2,"mixed":1}`, ""},
		{"other constants in a union", &shapes.Things{}, `{"anyOfConstants":7,"titled":9,"mixed":{"a":1}}`, ""},
		{"text that is encoded", &shapes.Things{}, `{"encoded":"AQI="}`, ""},
		{"references into schemas", &shapes.Deep{}, `{"inner":{"again":{"again":{"n":1,"u":1}},"n":9007199254740993},"text":"x"}`, ""},
		{"references to a file", &shapes.Deep{}, `{"beside":{"id":9007199254740993,"next":{"name":"n","u":1},"u":9007199254740993}}`, ""},
		{"names", &shapes.OddNames{}, `{"":"e","$id":"s","2nd":"2","a-c":"c","a.b":"b","a<b":"l","d":"d","func":"f","id":"i","naïve":"n","type":"t","unmarshal_json":"u",
			"日本":"j"}`, ""},
		{"wide", &shapes.Wide{}, `{"p000":"0","p068":"a","p069":"b"}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			require.NoError(t, json.Unmarshal([]byte(c.in), c.into))
			text, err := json.Marshal(c.into)
			require.NoError(t, err)
			want := c.out
			if want == "" {
				want = c.in
			}
			assert.Equal(t, numbers(t, want), numbers(t, string(text)))
			require.NoError(t, json.Unmarshal(text, c.into), "what is written can be read")
		})
	}
}

// numbers decodes text with exact numbers: assert.JSONEq rounds them.
func numbers(t *testing.T, text string) (v any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	require.NoError(t, d.Decode(&v), text)
	return v
}

func TestShapesRejectInvalidValues(t *testing.T) {
	t.Parallel()
	with := func(member string) string { return `{` + allRequired + `,` + member + `}` }
	for _, c := range []struct {
		into     object
		in, path string
	}{
		{&shapes.Required{}, `{}`, "map"},
		{&shapes.Required{}, strings.Replace(`{`+allRequired+`}`, `"map":{},`, ``, 1), "map"},
		{&shapes.Required{}, with(`"map":null`), "map"},
		{&shapes.Required{}, with(`"free":null`), "free"},
		{&shapes.Required{}, with(`"free":[]`), "free"},
		{&shapes.Required{}, with(`"map":{"k":1}`), "map.*"},
		{&shapes.Required{}, with(`"objects":{"k":{"id":"x"}}`), "objects.*.id"},
		{&shapes.Required{}, with(`"objects":{"k":{}}`), "objects.*.id"},
		{&shapes.Required{}, with(`"leafMap":{"k":{"id":1.5}}`), "leafMap.*.id"},
		{&shapes.Required{}, with(`"time":"yesterday"`), "time"},
		{&shapes.RequiredNullable{}, `{"array":null,"leaf":null,"map":null}`, "string"},
		{&shapes.Scalars{}, `{"int32":2147483648}`, "int32"},
		{&shapes.Scalars{}, `{"level":2147483648}`, "level"},
		{&shapes.Scalars{}, `{"float":1e40}`, "float"},
		{&shapes.Scalars{}, `{"date":"x"}`, "date"},
		{&shapes.Scalars{}, `{"uuid":"x"}`, "uuid"},
		{&shapes.Scalars{}, `{"bytes":"%"}`, "bytes"},
		{&shapes.Scalars{}, `{"color":1}`, "color"},
		{&shapes.Scalars{}, `{"inline":1}`, "inline"},
		{&shapes.Containers{}, `{"leaves":[{"id":1},{"id":null}]}`, "leaves[1].id"},
		{&shapes.Containers{}, `{"lists":{"k":[{"id":1},{"more":1}]}}`, "lists.*[1].id"},
		{&shapes.Containers{}, `{"names":["a",1]}`, "names[1]"},
		{&shapes.Containers{}, `{"nested":[[1],[2,"3"]]}`, "nested[1][1]"},
		{&shapes.Containers{}, `{"nullableItems":[null,1]}`, "nullableItems[1]"},
		{&shapes.Containers{}, `{"inline":[{}]}`, "inline[0].a"},
		{&shapes.HoldsCombined{}, `{"one":{"id":1}}`, "one.extra"},
		{&shapes.HoldsCombined{}, `{"one":{"id":1,"extra":"e"},"many":[{"extra":"e"}]}`, "many[0].id"},
		{&shapes.HoldsUnion{}, `{}`, "union"},
		{&shapes.Tree{}, `{"name":"a","children":[{"name":"b","byName":{"k":{}}}]}`, "children[0].byName.*.name"},
		{&shapes.Tree{}, `{"name":"a","lists":[[],[[],[{"id":1},{}]]]}`, "lists[1][1][1].id"},
		{&shapes.Tree{}, `{"name":"a","maps":{"a":{"b":{}}}}`, "maps.*.*.id"},
		{&shapes.Tree{}, `{"name":"a","nullableLeaves":{"a":{}}}`, "nullableLeaves.*.id"},
		{&shapes.Directions{}, `{"old":"o"}`, "id"},
		{&shapes.Directions{}, `{"id":null,"old":"o"}`, "id"},
		{&shapes.Formats{}, `{"email":"x"}`, "email"},
		{&shapes.Formats{}, `{"duration":"1h"}`, "duration"},
		{&shapes.Formats{}, `{"uint8":256}`, "uint8"},
		{&shapes.Formats{}, `{"uint64":18446744073709551616}`, "uint64"},
		{&shapes.Formats{}, `{"integers":1.5}`, "integers"},
		{&shapes.References{}, `{"bytes":null,"leaf":null,"raw":null}`, "bytes"},
		{&shapes.References{}, `{"bytes":"","leaf":{},"raw":null}`, "leaf.id"},
		{&shapes.References{}, `{"bytes":"","leaf":null,"raw":1,"map":{"a":{}}}`, "map.*.id"},
		{&shapes.References{}, `{"bytes":"","leaf":null,"raw":1,"array":[{}]}`, "array[0].id"},
		{&shapes.Unions{}, `{"pets":[{},null]}`, "pets[1]"},
		{&shapes.Unions{}, `{"flag":2}`, "flag"},
		{&shapes.NullableExtras{}, `{"a":{}}`, "(unknown field).id"},
		{&shapes.NullArms{}, `{}`, "required"},
		{&shapes.NullArms{}, `{"required":null,"list":[{}]}`, "list[0].id"},
		{&shapes.TypedExtras{}, `{"id":1,"a":2}`, "(unknown field)"},
		{&shapes.Wide{}, `{"p068":"a"}`, "p069"},
	} {
		err := c.into.UnmarshalJSON([]byte(c.in))
		var contract *wire.Error
		require.ErrorAs(t, err, &contract, c.in)
		assert.Equal(t, c.path, contract.Path, c.in)
	}
}

// Two rows must not share the value of a default.
func TestDefaultsAreNotShared(t *testing.T) {
	t.Parallel()
	var a, b shapes.Defaults
	require.NoError(t, a.UnmarshalJSON([]byte(`{}`)))
	require.NoError(t, b.UnmarshalJSON([]byte(`{}`)))
	a.List[0], a.Map["a"], *a.Name = "changed", 9, "changed"
	assert.Equal(t, "a", b.List[0])
	assert.Equal(t, int64(1), b.Map["a"])
	assert.Equal(t, "unnamed", b.GetName())
}

func TestNilContainersOfRequiredFieldsAreEmpty(t *testing.T) {
	t.Parallel()
	text, err := shapes.Required{}.MarshalJSON()
	require.NoError(t, err)
	assert.JSONEq(t, `{"any":null,"array":[],"free":{},"ints":{},"leaf":{"id":0,"note":null},"leafMap":{},"map":{},"objects":{},"plain":[],"time":"0001-01-01T00:00:00Z"}`, string(text))
}

func TestNilValuesOfRequiredFieldsAreWritten(t *testing.T) {
	t.Parallel()
	empty, err := shapes.GoMap{}.MarshalJSON()
	require.NoError(t, err)
	assert.JSONEq(t, `{"map":{}}`, string(empty))
	text, err := shapes.References{}.MarshalJSON()
	require.NoError(t, err)
	assert.JSONEq(t, `{"bytes":"","color":null,"leaf":null,"raw":null}`, string(text))
}

// A value that the document does not describe may be a secret, as may a union of which no arm is known.
func TestShapesHideSecretsInTheirText(t *testing.T) {
	t.Parallel()
	const marker = "hunter2"
	for text, into := range map[string]object{
		`{"password":"` + marker + `"}`:                            &shapes.Formats{},
		`{"a":"` + marker + `","b":["` + marker + `"]}`:            &shapes.AnyExtras{},
		`{"bytes":"","leaf":null,"raw":"` + marker + `"}`:          &shapes.References{},
		`{"bytes":"","leaf":null,"raw":1,"foreign":"hunter2"}`:     &shapes.References{},
		`{"inline":"` + marker + `","pet":{"k":"` + marker + `"}}`: &shapes.Unions{},
		`{"union":{"kind":"k","more":"` + marker + `"}}`:           &shapes.HoldsUnion{},
	} {
		require.NoError(t, into.UnmarshalJSON([]byte(text)))
		var log strings.Builder
		slog.New(slog.NewJSONHandler(&log, nil)).Info("decoded", "value", into)
		for _, printed := range []string{fmt.Sprint(into), fmt.Sprintf("%+v", into), log.String()} {
			assert.NotContains(t, printed, marker, text)
		}
	}
	var u shapes.Unions
	require.NoError(t, u.UnmarshalJSON([]byte(`{"inline":"abc","pets":[{"k":1}]}`)))
	assert.Equal(t, "Unions{Pets:[Pet{object(7)}] Inline:Unions_Inline{string(5)}}", u.String())
}
