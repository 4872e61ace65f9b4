package billing

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

// names are the keys that the generated types of a bill read. Each has a bit.
var names = bits(
	// OpenAI and Anthropic
	"object data has_more next_page start_time end_time starting_at ending_at results amount value currency line_item project_id api_key_id " +
		"user_id api_source quantity quantity_unit description workspace_id cost_type model token_type service_tier context_window inference_geo " +
		"uncached_input_tokens cache_read_input_tokens output_tokens cache_creation ephemeral_5m_input_tokens ephemeral_1h_input_tokens " +
		// xAI
		"timeSeries limitReached group groupLabels dataPoints timestamp values error code message " +
		// Google
		"service sku id name usage_start_time cost currency_conversion_rate credits usage unit",
)

func bits(names string) map[string]uint64 {
	all := make(map[string]uint64)
	for i, name := range strings.Fields(names) {
		all[name] = 1 << i
	}
	return all
}

// decodeOnce decodes a bill of which no object has one of its keys twice.
func decodeOnce(bill json.Unmarshaler, body []byte) error {
	if err := bill.UnmarshalJSON(body); err != nil {
		return err
	}
	return checkRepeated(body)
}

// checkRepeated returns an error if an object of a bill has one of its keys twice. A decoder reads only the last one, so that
// amounts would be missing in a bill that looks complete.
func checkRepeated(body []byte) error {
	var d jsonread.Decoder
	d.Reset(body)
	return repeated(&d)
}

func repeated(d *jsonread.Decoder) error {
	switch d.Next() {
	case jsonread.Object:
		return repeatedMember(d)
	case jsonread.Array:
		elements := d.Array()
		for elements.Next() {
			if err := repeated(d); err != nil {
				return err
			}
		}
		return elements.Err()
	default:
		return d.Skip()
	}
}

func repeatedMember(d *jsonread.Decoder) error {
	members := d.Object()
	var seen uint64
	for members.Next() {
		bit := names[string(members.Key())]
		if seen&bit != 0 {
			return fmt.Errorf("the key %q is repeated", members.Key())
		}
		seen |= bit
		if err := repeated(d); err != nil {
			return err
		}
	}
	return members.Err()
}
