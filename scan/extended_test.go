package scan_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/scan"
)

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

// TestWithoutHeuristics checks that only rules 10 and 12 are left out, at any place and also behind a replacement.
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
