package faults_test

import (
	"bytes"
	"encoding/json"
	"strings"
)

// path locates a value in a document: member names and indexes.
type path []any

// valueFaults change one value in a good body. The operation says where.
func valueFaults() []*fault {
	deep := strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000)
	text := func(value string) func(*exchange) {
		return func(x *exchange) { x.send(200, replace(x.good.body, x.op.text, value)) }
	}
	integer := func(value string) func(*exchange) {
		return func(x *exchange) { x.send(200, replace(x.good.body, x.op.integer, value)) }
	}
	return []*fault{
		{name: "invalid UTF-8", want: anyResult, status: 200, play: text("\"\xff\xfe half \xc3\"")},
		{name: "a lone surrogate", want: anyResult, status: 200, play: text(`"\ud800 half"`)},
		{name: "100,000 levels in a known field", want: decode, status: 200, play: text(deep)},
		{name: "100,000 levels in an unknown field", want: decode, status: 200, play: func(x *exchange) {
			x.send(200, replace(x.good.body, append(path{}, append(x.op.object, "no-such-field")...), deep))
		}},
		{name: "100,000 levels open", want: decode, status: 200, play: respond(deep[:100_000])},
		{name: "every key twice", want: ok, status: 200, play: func(x *exchange) { x.send(200, doubled(x.good.body)) }},
		{name: "integer of 2^63", want: decode, status: 200, play: integer("9223372036854775808")},
		{name: "number of 1e400", want: decode, status: 200, play: integer("1e400")},
		{name: "fraction for an integer", want: decode, status: 200, play: integer("1.5")},
		{name: "integer of a million digits", want: decode, status: 200, play: integer(strings.Repeat("9", 1_000_000))},
	}
}

// replace puts raw, which may be invalid JSON, in place of a value. It adds a missing
// member.
func replace(body []byte, at path, raw string) []byte {
	const sign = "the place of the value"
	changed, _ := json.Marshal(set(parse(body), at, sign))
	return bytes.Replace(changed, []byte(`"`+sign+`"`), []byte(raw), 1)
}

// parse keeps numbers exact.
func parse(body []byte) any {
	var value any
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		panic(err) // it is a good body
	}
	return value
}

// set changes value and returns it.
func set(value any, at path, to any) any {
	if len(at) == 0 {
		return to
	}
	switch step := at[0].(type) {
	case string:
		object := value.(map[string]any)
		object[step] = set(object[step], at[1:], to)
	case int:
		array := value.([]any)
		array[step] = set(array[step], at[1:], to)
	}
	return value
}

// doubled writes every object member twice.
func doubled(body []byte) []byte {
	var out bytes.Buffer
	writeDoubled(&out, parse(body))
	return out.Bytes()
}

func writeDoubled(out *bytes.Buffer, value any) {
	switch v := value.(type) {
	case map[string]any:
		var members []string
		for name, member := range v {
			var text bytes.Buffer
			key, _ := json.Marshal(name)
			text.WriteString(string(key) + ":")
			writeDoubled(&text, member)
			members = append(members, text.String(), text.String())
		}
		out.WriteString("{" + strings.Join(members, ",") + "}")
	case []any:
		out.WriteString("[")
		for i, element := range v {
			if i > 0 {
				out.WriteString(",")
			}
			writeDoubled(out, element)
		}
		out.WriteString("]")
	default:
		text, _ := json.Marshal(v)
		out.Write(text)
	}
}
