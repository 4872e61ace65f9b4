package scan

import "fmt"

// Finding is a match of a rule: content[Start:End] is the credential, in bytes. It does not contain the text, so it is safe to
// print, to log and to store.
type Finding struct {
	Rule       Rule
	Start, End int
}

// Trigger returns the word whose presence after the match makes a rule for keys without a prefix apply: "aws" for rule 10,
// "MESH_GATEWAY_TOKEN" for rule 12, and "" for the other rules, which need none.
func (f Finding) Trigger() string {
	if !f.Rule.Heuristic() {
		return ""
	}
	return keys[f.Rule.Number-1].word
}

// String returns the rule and the position, as in "openai-api-key (rule 4) at bytes 12-47". The end is exclusive.
func (f Finding) String() string {
	return fmt.Sprintf("%s (rule %d) at bytes %d-%d", f.Rule.Name, f.Rule.Number, f.Start, f.End)
}
