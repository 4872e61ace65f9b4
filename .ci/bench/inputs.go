package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// writeInputs writes the same files each time it is called.
func writeInputs(folder string) error {
	random := &generator{rand.New(rand.NewPCG(1, 2)), nil}
	for range 20_000 {
		random.words = append(random.words, random.word())
	}
	files := map[string]string{
		"words.json": random.wordList(200_000), "prose.txt": random.prose(200_000), "inbox.json": inbox(),
	}
	for i := range 20 {
		files[fmt.Sprintf("calls/2026-11-%02d.jsonl", i+1)] = calls(i, 5000)
	}
	kinds := []string{"go", "py", "ts", "md", "json", "yaml"}
	for i := range 160 {
		kind := kinds[i%len(kinds)]
		files[fmt.Sprintf("tree/dir-%d/file-%d.%s", i%16, i, kind)] = random.source(kind, 60_000)
	}
	if err := addSessions(files); err != nil {
		return err
	}
	for name, text := range files {
		file := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// generator makes texts from its words.
type generator struct {
	*rand.Rand
	words []string
}

func (g *generator) word() string {
	var word strings.Builder
	for range 1 + g.IntN(4) {
		word.WriteByte("bcdfghklmnprstvw"[g.IntN(16)])
		word.WriteByte("aeiou"[g.IntN(5)])
		if g.IntN(3) == 0 {
			word.WriteByte("lmnrst"[g.IntN(6)])
		}
	}
	return word.String()
}

func (g *generator) oneOf(texts ...string) string { return texts[g.IntN(len(texts))] }

// wordList returns JSON with a few thousand words. One in five has a hyphen, like a model
// id.
func (g *generator) wordList(count int) string {
	var some []string
	for i := range 2000 {
		some = append(some, g.words[i])
		if i%5 == 0 {
			some[i] += "-" + g.oneOf(g.word(), g.word(), "2", "4", "3.5")
		}
	}
	var list strings.Builder
	list.WriteString(`{"words":["start"`)
	for range count {
		list.WriteString(`,"` + g.oneOf(some...) + `"`)
	}
	return list.String() + "]}\n"
}

func (g *generator) prose(size int) string {
	var text strings.Builder
	for text.Len() < size {
		text.WriteString(g.oneOf(g.words...) + g.oneOf(" ", " ", " ", " ", " ", ", ", ". ", "\n", " - "))
	}
	return text.String()[:size]
}

func (g *generator) source(kind string, size int) string {
	line := map[string]string{
		"go": "\t%s, err := %s.%s(ctx, \"%s %s\") // %s\n", "py": "    %s = %s.%s(\"%s\", %s=True)  # %s\n", "ts": "  const %s = await %s.%s(`%s/${%s}`); // %s\n",
		"md": "%s %s **%s** %s `%s` %s.\n", "json": "  {\"%s\": \"%s\", \"%s\": [\"%s\", \"%s\"], \"id\": \"%s\"},\n", "yaml": "  - %s: %s-%s\n    %s: \"%s\" # %s\n",
	}[kind]
	var text strings.Builder
	for text.Len() < size {
		words := make([]any, 6)
		for i := range words {
			words[i] = g.oneOf(g.words...)
		}
		switch g.IntN(40) {
		case 0:
			words[3] = g.oneOf("gpt-5.2", "claude-opus-4-5", "gemini-2.5-pro", "openai/gpt-5-mini")
		case 1:
			words[5] = fmt.Sprintf("%016x%016x", g.Uint64(), g.Uint64())
		case 2:
			words[1] = g.oneOf(g.words...) + strings.ToUpper(g.oneOf(g.words...))
		}
		fmt.Fprintf(&text, line, words...)
	}
	return text.String()
}

// calls returns lines as mesh meter writes them.
func calls(file, lines int) string {
	var text strings.Builder
	for i := range lines {
		n := file*lines + i
		fmt.Fprintf(&text, `{"provider":"openai","model":"%s","time":"2026-11-%02dT%02d:%02d:15.123456Z",`+
			`"usage":{"input_tokens":%d,"input_tokens_details":{"cached_tokens":%d},"output_tokens":%d,"output_tokens_details":{"reasoning_tokens":64},"total_tokens":%d},`+
			`"id":"resp_68f9c0de%040d","labels":{"team":"team-%d","user":"user-%d"},"path":"/v1/responses","status":200,"complete":true,"duration_ms":%d.25,`+
			`"usd":"0.00%d","source":"OpenAI's price list"}`+"\n",
			[]string{"gpt-5.4", "gpt-5.2", "gpt-5-mini"}[n%3], file+1, n%24, n%60, 2000+n%1000, n%1000, 100+n%50, 2100+n%1000+n%50, n, n%10, n%100, n%9000, 1000+n%9000)
	}
	return text.String()
}

func inbox() string {
	rows := make([]string, 1000)
	for i := range rows {
		rows[i] = fmt.Sprintf(`{"id": %d, "thread_id": null, "from_node": "node-b", "to_node": "node-a", "channel": null, "mentions": null, "kind": "question",`+
			` "content": "status of the nightly build? this is message number %d", "related_task_id": null,`+
			` "created_at": "2026-11-21T08:28:%02d.%06d+00:00", "read_at": null}`, 1000-i, i, i%60, i)
	}
	return `{"messages": [` + strings.Join(rows, ", ") + `], "n": 1000}`
}

// addSessions adds the testdata sessions many times, with new ids.
func addSessions(files map[string]string) error {
	for name, pattern := range map[string]string{
		"claude": "claude/projects/*/d572515c*.jsonl", "codex": "codex/sessions/2026/11/23/*11-13-28*.jsonl", "gemini": "gemini/tmp/app/chats/*8d02e335.jsonl",
	} {
		found, err := filepath.Glob("cmd/mesh/internal/sessions/testdata/home/" + pattern)
		if err != nil || len(found) != 1 {
			return fmt.Errorf("one session is expected: %s has %d", pattern, len(found))
		}
		content, err := os.ReadFile(found[0])
		if err != nil {
			return err
		}
		content = content[:bytes.LastIndexByte(content, '\n')+1]
		var text strings.Builder
		for i := range 300 {
			id := fmt.Sprintf("%06d", i)
			text.WriteString(strings.NewReplacer("_01Ab000", "_"+id, "resp_0a0", "resp_"+id, `"id":"`, `"id":"`+id).Replace(string(content)))
		}
		files["sessions/"+name+".jsonl"] = text.String()
	}
	return nil
}
