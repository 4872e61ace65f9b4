package scan_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// input is a kind of content, at any size.
type input struct {
	name string
	make func(t testing.TB, size int) string
}

// cleanInputs are typical messages.
var cleanInputs = []input{
	{"prose", prose},
	{"code", code},
	{"json", jsonText},
	{"base64", base64Text},
	{"hex", hexText},
}

// hostileInputs have many candidates and no match, or none before the end.
var hostileInputs = []input{
	{"near-misses", repeated(strings.Join(nearMisses(), " ") + " ")},
	{"near-misses-glued", repeated(strings.Join(nearMisses(), "=") + "=")},
	{"words-of-19", repeated(made("", "a", 19) + " ")},
	{"words-of-22", repeated(made("", "a", 22) + " ")},
	{"pypi-", repeated("pypi-")},
	{"sk-ant-", repeated("sk-ant-")},
	{"sk-admin-", repeated("sk-admin-")},
	{"sk-", repeated("sk-")},
	{"xai-", repeated("xai-")},
	{"AIza", repeated("AIza")},
	{"AIza-", repeated("AIza-")},
	{"ghp_", repeated("ghp_")},
	{"ghp_-", repeated("ghp_-")},
	{"AKIA-", repeated("AKIA-")},
	{"sk-6-times", repeated(made("", "sk-", 6) + " ")},
	{"eyJ-dashes", repeated("eyJ-")},
	{"eyJ-dots", repeated("eyJ.")},
	{"eyJ-chain", repeated(made("eyJ", "a", 15) + "." + made("eyJ", "a", 14) + ".")},
	{"eyJ-shared-tail", eyJSharedTail},
	{"run-40", repeated(made("", "a", 40) + " ")},
	{"run-40-aws", ending(made("", "aw", 20)+" ", " aws")},
	{"run-39-aws", ending(made("", "a", 39)+" ", " aws")},
	{"run-48", repeated(made("", "a_", 24) + " ")},
	{"run-48-mesh", ending(made("", "a_", 24)+" ", " MESH_GATEWAY_TOKEN")},
	{"run-47-mesh", ending(made("", "a-_", 15)+"aa ", " MESH_GATEWAY_TOKEN")},
	{"one-run", repeated("a")},
	{"one-run-word-first", func(_ testing.TB, size int) string { return "aws " + made("", "b", size-4) }},
	{"slashes", repeated("/")},
	{"slash-words", repeated("a/")},
	{"equals", repeated("a=")},
	{"hyphens", repeated("-")},
	{"hyphen-words", repeated("a-")},
	{"underscores", repeated("_")},
	{"dots", repeated("a.")},
	{"invalid-utf8", repeated("\xff")},
}

func repeated(unit string) func(testing.TB, int) string { return ending(unit, "") }

// ending repeats unit and appends last.
func ending(unit, last string) func(testing.TB, int) string {
	return func(_ testing.TB, size int) string {
		return strings.Repeat(unit, size/len(unit)+1)[:size-len(last)] + last
	}
}

// nearMisses returns a key for every rule, each one character too short.
func nearMisses() []string {
	return []string{
		made("pypi-", "a", 19), made("sk-ant-", "a", 15), made("sk-admin-", "a", 19), made("sk-", "a", 19), made("xai-", "a", 39),
		made("AIza", "a", 34), made("ghp_", "a", 29), made("AKIA", "Z", 15), made("", "a", 39), jwtOf(15, 15, 14), made("", "a_", 23),
	}
}

// eyJSharedTail is a JWT without its third part. Every word in its first half could start
// it.
func eyJSharedTail(_ testing.TB, size int) string {
	return made("", "eyJ-", size/8) + made("aaaaaaaaaaaaaaa.eyJ", "b", size-size/8*4-19)
}

// words is the vocabulary of prose; short words are frequent.
var words = strings.Fields(`a a a a I it it is is of of of of to to to to in in in the the the the the the the and and and
	for for that that with with this not you are was but all can has new one our out who had two way may use then them
	some when what your said each which their time will other about many these write would like more make could people than
	first water been call find long down come made part over sound take only little work know place year live back give most
	very after thing just name good sentence think where help through much before line right mean different move kind again
	message gateway node answer question please release database deployment yesterday configuration migration documentation
	approximately responsibility authentication`)

// prose returns random sentences with the word lengths of English.
func prose(_ testing.TB, size int) string {
	r := rand.New(rand.NewPCG(7, 7))
	var b strings.Builder
	for b.Len() < size {
		for n := range 5 + r.IntN(14) {
			if n > 0 {
				b.WriteString([]string{" ", " ", " ", " ", " ", " ", " ", ", "}[r.IntN(8)])
			}
			b.WriteString(words[r.IntN(len(words))])
		}
		b.WriteString([]string{". ", ". ", "? ", ".\n\n"}[r.IntN(4)])
	}
	return b.String()[:size]
}

// code returns this package's source without its tests, which match rule 10.
func code(t testing.TB, size int) string {
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	files = slices.DeleteFunc(files, func(name string) bool { return strings.HasSuffix(name, "_test.go") })
	var b strings.Builder
	for b.Len() < size {
		for _, name := range files {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			b.Write(text)
		}
	}
	return b.String()[:size]
}

// jsonText returns a message list in the gateway's format.
func jsonText(t testing.TB, size int) string {
	r := rand.New(rand.NewPCG(3, 3))
	text := prose(t, size+400)
	var b strings.Builder
	for id := 1; b.Len() < size; id++ {
		thread := hex.EncodeToString(randomBytes(r, 16))
		content := text[b.Len() : b.Len()+40+r.IntN(300)]
		row, err := json.Marshal(map[string]any{
			"id": id, "from_node": "builder", "to_node": "reviewer", "kind": "question", "content": content,
			"created_at": "2026-11-21T09:14:03.512409+00:00", "read_at": nil, "related_task_id": nil,
			"thread_id": thread[:8] + "-" + thread[8:12] + "-" + thread[12:16] + "-" + thread[16:20] + "-" + thread[20:],
			"link":      "https://gateway.example.net/messages/" + thread[:6],
		})
		require.NoError(t, err)
		b.Write(row)
		b.WriteByte(',')
	}
	return b.String()[:size]
}

func base64Text(_ testing.TB, size int) string {
	text := base64.StdEncoding.EncodeToString(randomBytes(rand.New(rand.NewPCG(5, 5)), size))
	// Random text contains "aws" about once in 260,000 characters, and then rule 10
	// matches.
	return strings.ReplaceAll(text[:size], "aws", "AWS")
}

func hexText(_ testing.TB, size int) string {
	return hex.EncodeToString(randomBytes(rand.New(rand.NewPCG(9, 9)), size))[:size]
}

func randomBytes(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}
