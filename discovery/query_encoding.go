package discovery

import "encoding/json"

// The queries and options that hold a key leave it out of JSON and XML by their tags. encoding/gob has no such tag: the
// methods here write the JSON form, so that a query in a cache or on a queue does not carry the key.

// GobEncode encodes the query without its key.
func (q OpenAICostQuery) GobEncode() ([]byte, error) { return json.Marshal(q) }

// GobDecode decodes a query. AdminKey is "".
func (q *OpenAICostQuery) GobDecode(data []byte) error {
	*q = OpenAICostQuery{}
	return json.Unmarshal(data, q)
}

// GobEncode encodes the query without its key.
func (q AnthropicCostQuery) GobEncode() ([]byte, error) { return json.Marshal(q) }

// GobDecode decodes a query. AdminKey is "".
func (q *AnthropicCostQuery) GobDecode(data []byte) error {
	*q = AnthropicCostQuery{}
	return json.Unmarshal(data, q)
}

// GobEncode encodes the query without its key.
func (q XAICostQuery) GobEncode() ([]byte, error) { return json.Marshal(q) }

// GobDecode decodes a query. ManagementKey is "".
func (q *XAICostQuery) GobDecode(data []byte) error {
	*q = XAICostQuery{}
	return json.Unmarshal(data, q)
}

// GobEncode encodes the options without their key.
func (o PricingOptions) GobEncode() ([]byte, error) { return json.Marshal(o) }

// GobDecode decodes options. APIKey is "".
func (o *PricingOptions) GobDecode(data []byte) error {
	*o = PricingOptions{}
	return json.Unmarshal(data, o)
}

// GobEncode encodes the query without its key. Without this method the one of the embedded options would be promoted.
func (q GeminiPriceQuery) GobEncode() ([]byte, error) { return json.Marshal(q) }

// GobDecode decodes a query. APIKey is "".
func (q *GeminiPriceQuery) GobDecode(data []byte) error {
	*q = GeminiPriceQuery{}
	return json.Unmarshal(data, q)
}

// GobEncode encodes the options without their key.
func (o BalanceOptions) GobEncode() ([]byte, error) { return json.Marshal(o) }

// GobDecode decodes options. APIKey is "".
func (o *BalanceOptions) GobDecode(data []byte) error {
	*o = BalanceOptions{}
	return json.Unmarshal(data, o)
}
