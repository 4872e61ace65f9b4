package scan_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/scan"
)

// made returns a synthetic key: the prefix and n letters. No key is in a test file.
func made(prefix, letter string, n int) string { return prefix + strings.Repeat(letter, n) }

// find is Find without options, as a hit, with number -1 if there is none.
func find(content string) hit {
	f, found := scan.New().Find(content)
	if !found {
		return hit{Number: -1}
	}
	return hitOf(f)
}

var none = hit{Number: -1}

// ruleCases holds the shortest match of every rule, and texts that are one character short.
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
