package usage

import "github.com/mesh-gateway/mesh-go/internal/jsonread"

// converse is the usage object of Bedrock's Converse, and of its metrics of InvokeModel.
var converse = shape{
	required: []field{converseInput, converseOutput},
	optional: []field{converseTotal, converseRead, converseWrite, converse5m, converse1h},
	counts:   (*counts).converse,
}

// converse: the input excludes what was read from and written to the cache, and the total has all. Writes without a lifetime are for
// five minutes.
func (c *counts) converse() (Usage, error) {
	u := Usage{Input: c.value[converseInput], CacheRead: c.value[converseRead], CacheWrite5m: c.value[converseWrite], Output: c.value[converseOutput]}
	if c.has(converseTotal) && c.value[converseTotal] != u.Input+u.CacheRead+u.CacheWrite5m+u.Output {
		return u, &Error{names[converseTotal], "is not the sum of its parts"}
	}
	if rest := u.CacheWrite5m - c.value[converse5m] - c.value[converse1h]; rest < 0 {
		return u, &Error{"cacheDetails", "have more than " + names[converseWrite]}
	}
	u.CacheWrite5m, u.CacheWrite1h = u.CacheWrite5m-c.value[converse1h], c.value[converse1h]
	return u, nil
}

// cacheDetail reads an entry such as {"ttl": "1h", "inputTokens": 7}.
func (c *counts) cacheDetail(d *jsonread.Decoder) error {
	lifetime, n, err := entry(d, "cacheDetails", "ttl", "inputTokens")
	switch {
	case err != nil || n == 0:
		return err
	case lifetime == "5m":
		return c.addCount(converse5m, n)
	case lifetime == "1h":
		return c.addCount(converse1h, n)
	}
	c.addMode(unknownName("cache_write_" + lifetime))
	return nil
}
