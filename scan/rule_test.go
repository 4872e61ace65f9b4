package scan_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/scan"
)

// made returns a synthetic key: the prefix and n letters. No key is in a test file.
func made(prefix, letter string, n int) string { return prefix + strings.Repeat(letter, n) }

// find calls Find without options. If it finds nothing, number is -1.
func find(content string) hit {
	f, found := scan.New().Find(content)
	if !found {
		return hit{Number: -1}
	}
	return hitOf(f)
}

var none = hit{Number: -1}

// ruleCases holds the shortest match of every rule, and texts that are one character
// short.
var ruleCases = []struct {
	name    string
	content string
	want    hit
}{
	{"1 pypi", made("pypi-", "a", 20), hit{1, 0, 25}},
	{"1 pypi, one short", made("pypi-", "a", 19), none},
	{"1 pypi takes all of U", made("pypi-", "aZ0_-", 5) + ".", hit{1, 0, 30}},
	{"2 anthropic", made("sk-ant-", "a", 20), hit{2, 0, 27}},
	{"2 anthropic, one short, is rule 4", made("sk-ant-", "a", 19), hit{4, 0, 26}},
	{"3 openai admin", made("sk-admin-", "a", 20), hit{3, 0, 29}},
	{"3 openai admin, one short, is no rule 4 either", made("sk-admin-", "a", 19), none},
	{"4 openai", made("sk-", "a", 20), hit{4, 0, 23}},
	{"4 openai, one short", made("sk-", "a", 19), none},
	{"4 openai project", made("sk-proj-", "a", 20), hit{4, 0, 28}},
	{"4 openai project, where proj- counts as U", made("sk-proj-", "a", 15), hit{4, 0, 23}},
	{"4 openai, admin without hyphen", made("sk-admin", "a", 15), hit{4, 0, 23}},
	{"4 openai inside sk-admin-", "sk-admin-" + made("sk-", "a", 20), hit{3, 0, 32}},
	{"4 openai inside sk-admin-, too short for 3", "sk-admin-" + made("sk-", "a", 16), none},
	{"5 xai", made("xai-", "a", 40), hit{5, 0, 44}},
	{"5 xai, one short", made("xai-", "a", 39), none},
	{"6 deepseek is found as rule 4", made("sk-", "0f", 16), hit{4, 0, 35}},
	{"7 google", made("AIza", "a", 35), hit{7, 0, 39}},
	{"7 google, one short", made("AIza", "a", 34), none},
	{"7 google has no end boundary", made("AIza", "a", 36), hit{7, 0, 39}},
	{"8 github o", made("gho_", "a", 30), hit{8, 0, 34}},
	{"8 github p", made("ghp_", "a", 36), hit{8, 0, 40}},
	{"8 github s", made("ghs_", "a", 31), hit{8, 0, 35}},
	{"8 github, one short", made("ghp_", "a", 29), none},
	{"8 github, underscore ends it", made("ghp_", "a", 30) + "_a", hit{8, 0, 34}},
	{"8 github u is extended", made("ghu_", "a", 30), none},
	{"9 aws id", made("AKIA", "Z", 16), hit{9, 0, 20}},
	{"9 aws id, one short", made("AKIA", "Z", 15), none},
	{"9 aws id, lower case", made("AKIA", "Z", 15) + "z", none},
	{"9 aws id has no end boundary", made("AKIA", "7", 17), hit{9, 0, 20}},
	{"10 aws secret", made("", "a", 40) + "\naws", hit{10, 0, 40}},
	{"10 aws secret, one short", made("", "a", 39) + " aws", none},
	{"10 aws secret, no word", made("", "a", 40), none},
	{"10 aws secret, word before", "aws " + made("", "b", 40), none},
	{"10 aws secret, upper-case word", made("", "b", 40) + " AWS", none},
	{"10 aws secret, word in the same run", made("", "b", 40) + "aws", hit{10, 0, 40}},
	{"10 aws secret, word one byte too early", made("", "b", 39) + "aws", none},
	{"10 aws secret starts on a slash behind a letter", "a" + made("", "/", 40) + " aws", hit{10, 0, 40}},
	{"10 aws secret starts on a slash behind _", "_" + made("", "/", 40) + " aws", hit{10, 1, 41}},
	{"10 aws secret, no boundary before a slash", " " + made("", "/", 40) + " aws", none},
	{"10 aws secret, boundary inside the run", "_a/" + made("", "b", 39) + " aws", hit{10, 2, 42}},
	{"10 aws secret, two of them", made("", "b", 40) + " " + made("", "c", 40) + "aws", hit{10, 0, 40}},
	{"11 jwt", jwtOf(15, 15, 15), hit{11, 0, 53}},
	{"11 jwt, first part short", jwtOf(14, 15, 15), none},
	{"11 jwt, second part short", jwtOf(15, 14, 15), none},
	{"11 jwt, third part short", jwtOf(15, 15, 14), none},
	{"11 jwt, two dots", made("eyJ", "a", 15) + ".." + made("eyJ", "a", 15) + "." + made("", "a", 15), none},
	{"11 jwt, inner start", made("eyJ", "a", 5) + "-" + jwtOf(15, 15, 15), hit{11, 0, 62}},
	{"11 jwt, restarted", "eyJ." + jwtOf(20, 20, 20), hit{11, 4, 72}},
	{"12 mesh token", made("", "a", 48) + "\nMESH_GATEWAY_TOKEN", hit{12, 0, 48}},
	{"12 mesh token, one short", made("", "a", 47) + " MESH_GATEWAY_TOKEN", none},
	{"12 mesh token, word before", "MESH_GATEWAY_TOKEN=" + made("", "a", 48), none},
	{"12 mesh token, word in the same run", made("", "a", 48) + "-MESH_GATEWAY_TOKEN-b", hit{12, 0, 49}},
	{"12 mesh token, word too early", made("", "a", 47) + "MESH_GATEWAY_TOKEN", none},
	{"12 mesh token starts behind hyphens", made("", "-", 9) + made("", "a", 48) + " MESH_GATEWAY_TOKEN", hit{12, 9, 57}},
	{"12 mesh token starts on a hyphen inside the run", ".a" + made("", "-", 48) + " MESH_GATEWAY_TOKEN", hit{12, 1, 50}},
	{"12 mesh token takes the last word", made("", "a", 48) + "MESH_GATEWAY_TOKEN MESH_GATEWAY_TOKEN", hit{12, 0, 66}},
}

// jwtOf returns a token with parts of these lengths, not counting eyJ.
func jwtOf(first, second, third int) string {
	return made("eyJ", "a", first) + "." + made("eyJ", "b", second) + "." + made("", "c", third)
}

func TestEveryRule(t *testing.T) {
	for _, c := range ruleCases {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, find(c.content))
			checkAgainstReference(t, c.content, nil, false)
			moved := c.want
			if moved != none {
				moved.Start, moved.End = moved.Start+13, moved.End+13
			}
			assert.Equal(t, moved, find("some words: \n"+c.content), "after words")
		})
	}
}

func TestZeroScanner(t *testing.T) {
	var s scan.Scanner
	f, found := s.Find(fakeKey)
	assert.True(t, found)
	assert.Equal(t, []scan.Finding{f}, s.FindAll(fakeKey))
	assert.Equal(t, "[REDACTED:openai-api-key]", s.Redact(fakeKey))
}

func TestHeuristicRules(t *testing.T) {
	t.Parallel()
	for n, content := range map[int]string{
		10: made("", "a", 40) + " aws", 12: made("", "b", 48) + " MESH_GATEWAY_TOKEN", 9: made("AKIA", "A", 16),
	} {
		finding, found := scan.Find(content)
		require.True(t, found)
		assert.Equal(t, n, finding.Rule.Number)
		assert.Equal(t, n != 9, finding.Rule.Heuristic(), n)
	}
}

// pem returns an invented private key with a label and n base64 characters.
func pem(label string, n int) string {
	return "-----BEGIN " + label + "-----\n" + made("", "A", n) + "\n-----END " + label + "-----"
}

var extendedCases = []struct {
	name    string
	content string
	want    hit
}{
	{"101 ghu", made("ghu_", "a", 30), hit{101, 0, 34}},
	{"101 ghr", made("ghr_", "a", 36), hit{101, 0, 40}},
	{"101 one short", made("ghu_", "a", 29), none},
	{"102 github_pat", made("github_pat_", "a_", 18), hit{102, 0, 47}},
	{"102 one short", made("github_pat_", "a", 35), none},
	{"103 ghs with dots", "ghs_123456_" + jwtOf(15, 15, 15), hit{103, 0, 64}},
	{"103 to its end", "ghs_1_" + jwtOf(30, 200, 43) + " is", hit{103, 0, 287}},
	{"103 first part short", "ghs_" + made("", "a", 14) + "." + made("eyJ", "a", 15) + "." + made("", "a", 15), none},
	{"103 two parts only", "ghs_" + made("", "a_", 10) + "." + made("eyJ", "a", 15), none},
	{"103 behind a JWT", jwtOf(15, 15, 15) + ",ghs_1_" + jwtOf(15, 15, 15), hit{11, 0, 53}},
	{"8 comes before 103", made("ghs_", "a", 30) + "." + made("eyJ", "a", 15) + "." + made("", "a", 15), hit{8, 0, 34}},
	{"104 ASIA", made("ASIA", "Z", 16), hit{104, 0, 20}},
	{"104 ABIA", made("ABIA", "2", 16), hit{104, 0, 20}},
	{"104 ACCA", made("ACCA", "Q", 17), hit{104, 0, 20}},
	{"104 one short", made("ASIA", "Z", 15), none},
	{"105 AQ.", made("AQ.", "a", 50), hit{105, 0, 53}},
	{"105 one short", made("AQ.", "a", 39), none},
	{"105 no boundary", "x" + made("AQ.", "a", 50), none},
	{"106 GOCSPX", made("GOCSPX-", "a-_", 7), hit{106, 0, 28}},
	{"106 one short", made("GOCSPX-", "a", 19), none},
	{"107 ya29", made("ya29.", "a", 20), hit{107, 0, 25}},
	{"107 of a service account", made("ya29.c.", "a", 100) + "....", hit{107, 0, 107}},
	{"107 at the end of a sentence", "It is " + made("ya29.", "a", 30) + ". Keep it.", hit{107, 6, 41}},
	{"107 one short", made("ya29.", "a", 19) + ".", none},
	{"108 gsk", made("gsk_", "a", 52), hit{108, 0, 56}},
	{"108 one short", made("gsk_", "a", 29), none},
	{"109 hf", made("hf_", "a", 34), hit{109, 0, 37}},
	{"109 one short", made("hf_", "a", 29), none},
	{"110 xoxb", made("xoxb-", "1-a", 10), hit{110, 0, 35}},
	{"110 xoxp", made("xoxp-", "1", 20), hit{110, 0, 25}},
	{"110 one short", made("xoxb-", "1", 19), none},
	{"110 another letter", made("xoxz-", "1", 40), none},
	{"111 PEM", "see\n" + pem("PRIVATE KEY", 64) + "\nend", hit{111, 4, 122}},
	{"111 RSA", pem("RSA PRIVATE KEY", 64), hit{111, 0, 126}},
	{"111 PGP", pem("PGP PRIVATE KEY BLOCK", 18), hit{111, 0, 92}},
	{"111 body of twenty bytes", pem("EC PRIVATE KEY", 18), hit{111, 0, 78}},
	{"111 body of nineteen bytes", pem("EC PRIVATE KEY", 17), none},
	{"111 certificates are public", pem("CERTIFICATE", 64), none},
	{"111 public keys are public", pem("PUBLIC KEY", 64), none},
	{"111 cut off", "-----BEGIN PRIVATE KEY-----\n" + made("", "A", 64) + "\n" + made("", "B", 10) + "!", hit{111, 0, 103}},
	{"111 cut off too early", "-----BEGIN PRIVATE KEY-----\n" + made("", "A", 39), none},
	{"111 cut off, with escapes", `-----BEGIN PRIVATE KEY-----\r\n` + made("", "A", 64) + `\r\n",`, hit{111, 0, 99}},
	{"111 only spoken of", "a file that begins with -----BEGIN PRIVATE KEY----- holds a secret", none},
	{"111 another last line between", "-----BEGIN PRIVATE KEY----- and then -----END CERTIFICATE----- x -----END PRIVATE KEY-----", hit{111, 0, 90}},
	{"111 long label", pem(made("", "A", 24)+"PRIVATE KEY", 64), hit{111, 0, 166}},
	{"111 long label and BLOCK", pem(made("", "A", 24)+"PRIVATE KEY BLOCK", 64), hit{111, 0, 178}},
	{"111 endless label", "-----BEGIN " + made("", "A", 200) + "PRIVATE KEY-----" + made("", "A", 64), none},
	{"111 label too long", pem(made("", "A", 25)+"PRIVATE KEY", 64), none},
	{"4 comes before 111", pem("PRIVATE KEY", 64) + made("sk-", "a", 20), hit{4, 118, 141}},
}

func TestExtendedRules(t *testing.T) {
	extended := scan.New(scan.WithExtendedRules())
	for _, c := range extendedCases {
		t.Run(c.name, func(t *testing.T) {
			got := none
			if f, found := extended.Find(c.content); found {
				got = hitOf(f)
			}
			assert.Equal(t, c.want, got)
			checkAgainstReference(t, c.content, nil, true)
			if c.want.Number > 100 {
				assert.Equal(t, none, find(c.content), "off by default")
			}
		})
	}
}

// TestWithoutHeuristics checks that only rules 10 and 12 are left out, at any position,
// even after a replacement.
func TestWithoutHeuristics(t *testing.T) {
	key, aws := made("sk-", "a", 20), made("", "aB3/", 10)
	content := aws + " " + key + aws + " " + made("", "b", 48) + " aws MESH_GATEWAY_TOKEN " + aws + " aws"
	all, certain := scan.New().FindAll(content), scan.New(scan.WithoutHeuristics()).FindAll(content)
	assert.Equal(t, slices.DeleteFunc(slices.Clone(all), func(f scan.Finding) bool { return f.Rule.Heuristic() }), certain)
	assert.Greater(t, len(all), len(certain)+2)
	assert.Len(t, certain, 1)
	redacted := scan.New(scan.WithoutHeuristics()).Redact(content)
	assert.Contains(t, redacted, aws+" aws")
	assert.NotContains(t, redacted, key)
}

func TestRules(t *testing.T) {
	rules := scan.Rules()
	assert.Len(t, rules, 13)
	for n, r := range rules {
		assert.Equal(t, n, r.Number)
	}
	names := map[string]bool{}
	for _, name := range ruleNames {
		names[name] = true
	}
	assert.Len(t, names, 24, "thirteen and eleven different names")
	assert.Contains(t, rules[3].Advice, "org-level privilege")

	rules[4].Name = "changed"
	assert.Equal(t, "openai-api-key", scan.Rules()[4].Name, "the caller has a copy")
}

func TestEveryRuleHasNameAndAdvice(t *testing.T) {
	s := scan.New(scan.WithExtendedRules(), scan.WithLiveToken(liveToken))
	seen := map[string]bool{}
	var all []string
	for _, c := range ruleCases {
		all = append(all, c.content)
	}
	for _, c := range extendedCases {
		all = append(all, c.content)
	}
	for _, content := range append(all, liveToken) {
		for _, f := range s.FindAll(content) {
			seen[f.Rule.Name] = true
			assert.Contains(t, ruleNames, f.Rule.Name)
			assert.Greater(t, len(f.Rule.Advice), 40)
			assert.True(t, strings.HasSuffix(f.Rule.Advice, "."), f.Rule.Advice)
		}
	}
	assert.Len(t, seen, len(ruleNames), "every rule was found at least once")
}

// holder has values in unexported fields, where fmt does not call their methods.
type holder struct {
	pointer *scan.Scanner
	value   scan.Scanner
	option  scan.Option
	finding scan.Finding
}

// printed returns v in every format that a program is likely to print.
func printed(t *testing.T, v any) []string {
	t.Helper()
	var logs bytes.Buffer
	slog.New(slog.NewTextHandler(&logs, nil)).Info("m", "v", v)
	slog.New(slog.NewJSONHandler(&logs, nil)).Info("m", "v", v)
	texts := []string{logs.String(), fmt.Sprint(v), fmt.Errorf("failed: %v", v).Error()}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d", "%p", "%T"} {
		texts = append(texts, fmt.Sprintf(verb, v))
	}
	if text, err := json.Marshal(v); err == nil {
		texts = append(texts, string(text))
	}
	return texts
}

func TestPrintingShowsNoSecret(t *testing.T) {
	scanner := scan.New(scan.WithLiveToken(liveToken), scan.WithExtendedRules())
	finding, found := scanner.Find("it is " + liveToken)
	require.True(t, found)
	kept := holder{scanner, *scanner, scan.WithLiveToken(liveToken), finding}

	for _, v := range []any{scanner, *scanner, finding, &finding, kept, &kept, []any{scanner}, map[string]any{"s": *scanner}} {
		for _, text := range printed(t, v) {
			assert.NotContains(t, text, liveToken)
			assert.NotContains(t, text, fmt.Sprintf("%x", liveToken))
			assert.NotContains(t, text, liveToken[5:25], "not even a part")
		}
	}
	assert.NotNil(t, kept.option)
	assert.NotNil(t, kept.pointer)
	assert.NotNil(t, kept.value)
	assert.Equal(t, finding, kept.finding)
}

func TestFindingString(t *testing.T) {
	finding, _ := scan.New().Find("key: " + fakeKey)
	assert.Equal(t, "openai-api-key (rule 4) at bytes 5-37", finding.String())
	assert.Equal(t, finding.String(), fmt.Sprintf("%+v", finding))
}
