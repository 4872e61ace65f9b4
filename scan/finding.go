package scan

import "fmt"

// Finding says which rule matched and where: content[Start:End] is the credential, in bytes. It holds the place and
// never the text, so it is safe to print, to log and to keep, under every verb and in every log format.
type Finding struct {
	Rule       Rule
	Start, End int
}

// String names the rule and the place, for instance "openai-api-key (rule 4) at bytes 12-47". It never shows the matched
// text. The end is exclusive, as in a slice.
func (f Finding) String() string {
	return fmt.Sprintf("%s (rule %d) at bytes %d-%d", f.Rule.Name, f.Rule.Number, f.Start, f.End)
}
