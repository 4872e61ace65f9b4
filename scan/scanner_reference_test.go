package scan_test

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/mesh-gateway/mesh-go/scan"
)

// The reference implements the rules directly: a regexp for each, and a loop for each
// rule with a look-ahead, which regexp doesn't support. It is slow, sometimes quadratic,
// and shares no code with the package.

// hit is a Finding without its rule's texts.
type hit struct{ Number, Start, End int }

func hitOf(f scan.Finding) hit { return hit{f.Rule.Number, f.Start, f.End} }

func hitsOf(findings []scan.Finding) []hit {
	var hits []hit
	for _, f := range findings {
		hits = append(hits, hitOf(f))
	}
	return hits
}

// plainRules are the rules that are one regexp.
var plainRules = map[int]*regexp.Regexp{
	1: regexp.MustCompile(`\bpypi-[A-Za-z0-9_-]{20,}`),
	2: regexp.MustCompile(`\bsk-ant-[A-Za-z0-9_-]{20,}`),
	3: regexp.MustCompile(`\bsk-admin-[A-Za-z0-9_-]{20,}`),
	// Not followed by admin-: every way that the next six characters can differ from it.
	4: regexp.MustCompile(`\bsk-(?:[A-Zb-z0-9_-][A-Za-z0-9_-]{19,}` +
		`|a[A-Za-ce-z0-9_-][A-Za-z0-9_-]{18,}` +
		`|ad[A-Za-ln-z0-9_-][A-Za-z0-9_-]{17,}` +
		`|adm[A-Za-hj-z0-9_-][A-Za-z0-9_-]{16,}` +
		`|admi[A-Za-mo-z0-9_-][A-Za-z0-9_-]{15,}` +
		`|admin[A-Za-z0-9_][A-Za-z0-9_-]{14,})`),
	5:  regexp.MustCompile(`\bxai-[A-Za-z0-9_-]{40,}`),
	6:  regexp.MustCompile(`\bsk-[a-f0-9]{32}\b`),
	7:  regexp.MustCompile(`\bAIza[A-Za-z0-9_-]{35}`),
	8:  regexp.MustCompile(`\bgh[ops]_[A-Za-z0-9]{30,}`),
	9:  regexp.MustCompile(`\bAKIA[A-Z0-9]{16}`),
	11: regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{15,}\.eyJ[A-Za-z0-9_-]{15,}\.[A-Za-z0-9_-]{15,}`),
}

var extendedRules = map[int]*regexp.Regexp{
	101: regexp.MustCompile(`\bgh[ur]_[A-Za-z0-9]{30,}`),
	102: regexp.MustCompile(`\bgithub_pat_[A-Za-z0-9_]{36,}`),
	103: regexp.MustCompile(`\bghs_[A-Za-z0-9_-]{15,}\.eyJ[A-Za-z0-9_-]{15,}\.[A-Za-z0-9_-]{15,}`),
	104: regexp.MustCompile(`\b(?:ASIA|ABIA|ACCA)[A-Z0-9]{16}`),
	105: regexp.MustCompile(`\bAQ\.[A-Za-z0-9_-]{40,}`),
	106: regexp.MustCompile(`\bGOCSPX-[A-Za-z0-9_-]{20,}`),
	107: regexp.MustCompile(`\bya29\.[A-Za-z0-9_.-]{19,}[A-Za-z0-9_-]`),
	108: regexp.MustCompile(`\bgsk_[A-Za-z0-9]{30,}`),
	109: regexp.MustCompile(`\bhf_[A-Za-z0-9]{30,}`),
	110: regexp.MustCompile(`\bxox[a-eoprs]-[A-Za-z0-9_-]{20,}`),
}

// referenceAll is the reference for FindAll.
func referenceAll(content string, tokens []string, extended bool) []hit {
	var hits []hit
	add := func(number int, spans [][]int) {
		for _, s := range spans {
			hits = append(hits, hit{number, s[0], s[1]})
		}
	}
	for _, token := range tokens {
		add(0, referenceToken(content, token))
	}
	for number, re := range plainRules {
		add(number, re.FindAllStringIndex(content, -1))
	}
	add(10, referenceAWSSecrets(content))
	add(12, referenceMeshTokens(content))
	if extended {
		for number, re := range extendedRules {
			add(number, re.FindAllStringIndex(content, -1))
		}
		add(111, referencePEM(content))
	}
	slices.SortFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Number, b.Number), cmp.Compare(b.End, a.End))
	})
	return hits
}

// referenceToken is the reference for rule 0 with one token.
func referenceToken(content, token string) [][]int {
	var spans [][]int
	for i := 0; i < len(content); i++ {
		if strings.HasPrefix(content[i:], token) {
			spans = append(spans, []int{i, i + len(token)})
			i += len(token) - 1
		}
	}
	return spans
}

// referenceFirst is the reference for Find: the leftmost hit with the lowest number.
func referenceFirst(content string, tokens []string, extended bool) (hit, bool) {
	hits := referenceAll(content, tokens, extended)
	if len(hits) == 0 {
		return hit{}, false
	}
	return slices.MinFunc(hits, func(a, b hit) int { return cmp.Compare(a.Number, b.Number) }), true
}

func isIn(set string, b byte) bool { return strings.IndexByte(set, b) >= 0 }

const (
	letters     = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	wordBytes   = letters + "0123456789_"
	uBytes      = wordBytes + "-"
	base64Bytes = letters + "0123456789/+="
)

func boundaryAt(content string, i int) bool {
	before := i > 0 && isIn(wordBytes, content[i-1])
	after := i < len(content) && isIn(wordBytes, content[i])
	return before != after
}

func allIn(set, text string) bool {
	return strings.Trim(text, set) == ""
}

// referenceAWSSecrets is rule 10: \b[A-Za-z0-9/+=]{40}(?=.*aws), where the dot matches
// line ends too.
func referenceAWSSecrets(content string) [][]int {
	var spans [][]int
	for i := 0; i+40 <= len(content); i++ {
		if boundaryAt(content, i) && allIn(base64Bytes, content[i:i+40]) && strings.Contains(content[i+40:], "aws") {
			spans = append(spans, []int{i, i + 40})
			i += 39
		}
	}
	return spans
}

// referenceMeshTokens is rule 12: \b[A-Za-z0-9_-]{48,}(?=.*MESH_GATEWAY_TOKEN), the
// longest first as regexps try it.
func referenceMeshTokens(content string) [][]int {
	var spans [][]int
	for i := 0; i+48 <= len(content); i++ {
		if !boundaryAt(content, i) {
			continue
		}
		run := 0
		for i+run < len(content) && isIn(uBytes, content[i+run]) {
			run++
		}
		for ; run >= 48; run-- {
			if strings.Contains(content[i+run:], "MESH_GATEWAY_TOKEN") {
				spans = append(spans, []int{i, i + run})
				i += run - 1
				break
			}
		}
	}
	return spans
}

var (
	pemFirstLine = regexp.MustCompile(`-----BEGIN [A-Z0-9 ]{0,24}PRIVATE KEY(?: BLOCK)?-----`)
	pemLastLine  = regexp.MustCompile(`-----END [A-Z0-9 ]{0,24}PRIVATE KEY(?: BLOCK)?-----`)
	pemLines     = regexp.MustCompile(`^[A-Za-z0-9/+= \t\r\n\\]*`)
	base64Line   = regexp.MustCompile(`[A-Za-z0-9/+=]{40}`)
)

// referencePEM is rule 111: a first line, 20 or more bytes, and a last line; or base64
// lines and no last line.
func referencePEM(content string) [][]int {
	var spans [][]int
	from := 0
	for _, first := range pemFirstLine.FindAllStringIndex(content, -1) {
		if first[0] < from {
			continue
		}
		end := 0
		body := content[first[1]:]
		if last := pemLastLine.FindStringIndex(body[min(20, len(body)):]); last != nil {
			end = first[1] + 20 + last[1]
		} else if lines := pemLines.FindString(body); base64Line.MatchString(lines) {
			end = first[1] + len(lines)
		}
		if end > 0 {
			spans = append(spans, []int{first[0], end})
			from = end
		}
	}
	return spans
}
