package usage

import (
	"maps"
	"strings"

	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

// toolCounts are the objects that count the uses of tools, with the end of their members' names.
var toolCounts = map[string]string{
	"server_tool_use":                "_requests", // Anthropic, DeepSeek
	"server_side_tool_usage_details": "_calls",    // xAI
	"server_tool_use_details":        "_requests", // OpenRouter
}

// free reports whether only the tokens of a tool are billed. Anthropic's web fetches are free, those of DeepSeek are not.
func free(provider, tool string) bool {
	return tool == "mcp" || (tool == "web_fetch" && provider != "deepseek")
}

// billed returns the uses of tools that a provider bills besides tokens; nil without any.
func (c *counts) billed(provider string) map[string]int64 {
	maps.DeleteFunc(c.requests, func(tool string, _ int64) bool { return free(provider, tool) })
	if len(c.requests) == 0 {
		return nil
	}
	return c.requests
}

// tools reads an object such as {"web_search_requests": 2}.
func (c *counts) tools(d *jsonread.Decoder, name string) error {
	if d.Next() == jsonread.Null {
		return d.Skip()
	}
	return eachMember(d, name, func(key []byte) error {
		c.listed = true
		tool, counted := strings.CutSuffix(string(key), toolCounts[name])
		if !counted || d.Next() != jsonread.Number { // another unit, such as seconds
			return c.unknown(d, string(key))
		}
		n, err := amount(d, name)
		if err != nil {
			return err
		}
		if c.detailed += n; c.detailed > maxTokens {
			return &Error{name, "is too large"}
		}
		return c.addRequests(tool, n)
	})
}

// groundingTools are the names of Gemini's tools in the prices.
var groundingTools = map[string]string{"google_search": "grounding", "google_maps": "maps"}

// grounding reads an entry such as {"type": "google_search", "count": 2}.
func (c *counts) grounding(d *jsonread.Decoder) error {
	tool, n, err := entry(d, "grounding_tool_count", "type", "count")
	if err != nil {
		return err
	}
	if name := groundingTools[tool]; name != "" {
		tool = name
	}
	return c.addRequests(tool, n)
}

// addRequests adds n uses of a tool. A name that is not an identifier becomes "unknown".
func (c *counts) addRequests(tool string, n int64) error {
	if n == 0 {
		return nil
	}
	if !identifier(tool) {
		tool = "unknown"
	}
	if c.requests == nil {
		c.requests = make(map[string]int64)
	}
	if c.requests[tool] += n; c.requests[tool] > maxTokens {
		return &Error{"tools", "have a count that is too large"}
	}
	return nil
}

// identifier reports whether a name of a provider has the form of one, so that it can be shown.
func identifier(name string) bool {
	const longest, letters = 64, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"
	return name != "" && len(name) <= longest && strings.Trim(name, letters) == ""
}
