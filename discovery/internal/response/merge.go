package response

import "encoding/json"

// writes are the cache writes of Anthropic's usage object.
type writes struct {
	FiveMinutes int64 `json:"ephemeral_5m_input_tokens"`
	Hour        int64 `json:"ephemeral_1h_input_tokens"`
}

// merge returns the usage object of a stream of Anthropic: later counts replace earlier ones, unless they are null. The cache
// writes by lifetime come first, and their sum may change later, with server tools.
func merge(earlier, later []byte) []byte {
	var to, from map[string]json.RawMessage
	if json.Unmarshal(later, &from) != nil || (earlier != nil && json.Unmarshal(earlier, &to) != nil) {
		return later // it is not an object, which its reader reports
	}
	if to == nil {
		to = make(map[string]json.RawMessage, len(from))
	}
	for name, value := range from {
		if string(value) != "null" {
			to[name] = value
		}
	}
	if kinds := from["cache_creation"]; kinds == nil || string(kinds) == "null" {
		breakDown(to)
	}
	merged, err := json.Marshal(to)
	if err != nil {
		return later
	}
	return merged
}

// breakDown divides the cache writes by lifetime again, if they are not their sum any more. All are of the only lifetime that
// there was, or for five minutes. If there were both, those that came later may be of either: they are a count that is not known.
func breakDown(object map[string]json.RawMessage) {
	const unknown = "unknown_cache_creation_input_tokens"
	var (
		kinds writes
		sum   int64
	)
	if json.Unmarshal(object["cache_creation"], &kinds) != nil || json.Unmarshal(object["cache_creation_input_tokens"], &sum) != nil ||
		string(object["cache_creation"]) == "null" || kinds.FiveMinutes < 0 || kinds.Hour < 0 || sum < 0 {
		return
	}
	switch rest := sum - kinds.FiveMinutes - kinds.Hour; {
	case rest == 0:
		return
	case kinds.Hour == 0 || sum == 0:
		kinds = writes{FiveMinutes: sum}
	case kinds.FiveMinutes == 0:
		kinds = writes{Hour: sum}
	default:
		kinds.Hour = min(kinds.Hour, sum)
		kinds.FiveMinutes = sum - kinds.Hour
		object[unknown] = json.RawMessage("1")
	}
	object["cache_creation"], _ = json.Marshal(kinds)
}
