package scan_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/scan"
)

// liveToken has a gateway token's format; shortToken has the minimum length, 16
// characters.
var (
	liveToken  = made("mesh-", "T0k_", 11)
	shortToken = made("", "abcd", 4)
)

func TestLiveToken(t *testing.T) {
	for name, c := range map[string]struct {
		tokens  []string
		content string
		want    hit
	}{
		"verbatim":                         {[]string{liveToken}, "token: " + liveToken, hit{0, 7, 56}},
		"inside a word":                    {[]string{liveToken}, "xx" + liveToken + "yy", hit{0, 2, 51}},
		"sixteen characters":               {[]string{shortToken}, "a " + shortToken + " b", hit{0, 2, 18}},
		"sixteen characters and no others": {[]string{shortToken}, shortToken, hit{0, 0, 16}},
		"fifteen characters":               {[]string{shortToken[:15]}, "a " + shortToken + " b", none},
		"sixteen runes of two bytes":       {[]string{made("", "é", 16)}, made("", "é", 16), hit{0, 0, 32}},
		"fifteen runes of two bytes":       {[]string{made("", "é", 15)}, made("", "é", 15), none},
		"white space around it":            {[]string{" \t" + liveToken + "\r\n"}, liveToken, hit{0, 0, 49}},
		"white space does not count":       {[]string{"  " + shortToken[:14]}, "  " + shortToken[:14], none},
		"blanks inside":                    {[]string{"correct horse battery"}, "the correct horse battery staple", hit{0, 4, 25}},
		"a line end inside":                {[]string{"first line\nsecond line"}, "first line\nsecond line", hit{0, 0, 22}},
		"bytes that are no UTF-8":          {[]string{"\xff\xfe" + shortToken}, "<\xff\xfe" + shortToken + ">", hit{0, 1, 19}},
		"ahead of a rule in front of it":   {[]string{liveToken}, made("pypi-", "a", 20) + " " + liveToken, hit{0, 26, 75}},
		"ahead of a rule, in no run":       {[]string{shortToken}, made("pypi-", "a", 20) + " " + shortToken, hit{0, 26, 42}},
		"the leftmost, in the order":       {[]string{liveToken, shortToken}, shortToken + " " + liveToken, hit{0, 0, 16}},
		"the leftmost, in the other":       {[]string{shortToken, liveToken}, liveToken + " " + shortToken, hit{0, 0, 49}},
		"the longer of two at one place":   {[]string{liveToken[:20], liveToken}, liveToken, hit{0, 0, 49}},
		"no token at all":                  {[]string{""}, "anything", none},
		"otherwise as without":             {[]string{liveToken}, made("AKIA", "Z", 16), hit{9, 0, 20}},
		"at the end of a long text":        {[]string{liveToken}, strings.Repeat("word ", 500) + liveToken, hit{0, 2500, 2549}},
		"split by a blank":                 {[]string{liveToken}, liveToken[:30] + " " + liveToken[30:], none},
		"twenty run bytes of every sort":   {[]string{"+,./:;<=>?@[]^`{|}~0"}, "x +,./:;<=>?@[]^`{|}~0 y", hit{0, 2, 22}},
		"a byte below the run bytes":       {[]string{"*,./:;<=>?@[]^`{|}~0"}, "x *,./:;<=>?@[]^`{|}~0 y", hit{0, 2, 22}},
		"a high byte at the token's end":   {[]string{made("", "a", 24) + "é"}, "x " + made("", "a", 24) + "é", hit{0, 2, 28}},
		"a high byte at the token's start": {[]string{"é" + made("", "a", 24)}, "xé" + made("", "a", 24), hit{0, 1, 27}},
	} {
		t.Run(name, func(t *testing.T) {
			var opts []scan.Option
			for _, token := range c.tokens {
				opts = append(opts, scan.WithLiveToken(token))
			}
			f, found := scan.New(opts...).Find(c.content)
			assert.Equal(t, c.want != none, found)
			if found {
				assert.Equal(t, c.want, hitOf(f))
			}
			checkAgainstReference(t, c.content, c.tokens, false)
		})
	}
}

func TestLiveTokenFindAll(t *testing.T) {
	token := made("", "ab", 10)
	got := scan.New(scan.WithLiveToken(token), scan.WithLiveToken(token), scan.WithLiveToken(token[:16])).FindAll(token + "ab" + token)
	assert.Equal(t, []hit{
		{0, 0, 20}, {0, 0, 16}, // at one place the longer first
		{0, 16, 32}, // one token's matches don't overlap, but two tokens' may
		{0, 20, 40},
	}, hitsOf(got), "a token that is given twice is reported once")
}

func TestFindReadsTheEnvironmentAtEachCall(t *testing.T) {
	content := "it is " + liveToken
	t.Setenv("MESH_GATEWAY_TOKEN", "")
	_, found := scan.Find(content)
	assert.False(t, found)

	t.Setenv("MESH_GATEWAY_TOKEN", " "+liveToken+"\n")
	f, found := scan.Find(content)
	require.True(t, found)
	assert.Equal(t, hit{0, 6, 55}, hitOf(f))

	_, found = scan.New().Find(content)
	assert.False(t, found, "a Scanner does not read the environment")

	t.Setenv("MESH_GATEWAY_TOKEN", liveToken[:15])
	_, found = scan.Find(content)
	assert.False(t, found, "too short")
}

func TestNilOptionIsIgnored(t *testing.T) {
	t.Parallel()
	_, found := scan.New(nil, scan.WithLiveToken(liveToken), nil).Find(liveToken)
	assert.True(t, found)
}
