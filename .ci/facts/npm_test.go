package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// recorded answers npm view and npm pack from testdata/npm, with excerpts from packages
// as of 2026-11-28.
func recorded(args ...string) ([]byte, error) {
	file := func(name, ext string) string {
		return filepath.Join("testdata/npm", strings.NewReplacer("@", "", "/", "-").Replace(name)+ext)
	}
	switch args[0] {
	case "view":
		return os.ReadFile(file(args[1], ".json"))
	case "pack":
		version := args[len(args)-1]
		archive, err := os.ReadFile(file(version[:strings.LastIndexByte(version, '@')], ".tgz"))
		if err != nil {
			return nil, err
		}
		return nil, os.WriteFile(filepath.Join(args[len(args)-2], "package.tgz"), archive, 0o600)
	}
	return nil, errors.New(args[0])
}

func recordedReleases(t *testing.T) map[string]release {
	t.Helper()
	all := make(map[string]release)
	for _, s := range sdks {
		r, err := npmCommand(recorded).release(s.provider, s.npm)
		if err != nil {
			t.Fatal(err)
		}
		all[s.provider] = r
	}
	return all
}

func TestRecordedPackages(t *testing.T) {
	all := recordedReleases(t)
	for provider, want := range map[string]struct {
		release string
		ids     int
		dates   int
	}{
		"openai":    {"openai 7.59.0 of 2026-11-17", 114, 86},
		"anthropic": {"@anthropic-ai/sdk 1.14.0 of 2026-11-24", 22, 5},
		"gemini":    {"@google/genai 3.3.0 of 2026-11-12", 38, 0},
	} {
		if r := all[provider]; r.String() != want.release || len(r.IDs) != want.ids || len(r.Dates) != want.dates {
			t.Errorf("%s: %d ids, %d dates", r.String(), len(r.IDs), len(r.Dates))
		}
	}
	openai, anthropic := all["openai"], all["anthropic"]
	for id, want := range map[string]string{"gpt-5.4-nano": "2027-04-01", "gpt-5.2-chat-latest": "2026-08-10", "o1-mini": "2025-10-27", "gpt-3.5-turbo-1106": "2026-09-28", "gpt-6.2-astra": ""} {
		if got := openai.Dates[id]; got != want || !openai.IDs[id] {
			t.Errorf("%s: %q, %v", id, got, openai.IDs[id])
		}
	}
	if openai.IDs["gpt-5.1-mini"] || anthropic.IDs["claude-of-no-source"] || all["gemini"].IDs["gemini-of-no-source"] {
		t.Error("ids that no source declares")
	}
	if anthropic.Dates["claude-opus-4-5"] != "2027-01-22" {
		t.Error(anthropic.Dates)
	}
}

func TestPackagesThatCannotBeRead(t *testing.T) {
	for name, change := range map[string]npmCommand{
		"npm is missing": func(...string) ([]byte, error) { return nil, errors.New("not found") },
		"no version":     func(args ...string) ([]byte, error) { return []byte(`{"time":{}}`), nil },
		"an option": func(args ...string) ([]byte, error) {
			return []byte(`{"version":"--x","time":{"--x":"2026-11-24T21:07:30+00:00"}}`), nil
		},
		"no day": func(args ...string) ([]byte, error) {
			return []byte(`{"version":"1.0.0","time":{"0.9.0":"2026-11-24T21:07:30+00:00"}}`), nil
		},
		"no JSON": func(args ...string) ([]byte, error) { return []byte(`1.0.0`), nil },
		"no archive": func(args ...string) ([]byte, error) {
			if args[0] == "pack" {
				return nil, nil
			}
			return recorded(args...)
		},
		"no gzip": func(args ...string) ([]byte, error) {
			if args[0] == "pack" {
				return nil, os.WriteFile(filepath.Join(args[len(args)-2], "package.tgz"), []byte("<html>"), 0o600)
			}
			return recorded(args...)
		},
	} {
		if r, err := change.release("openai", "openai"); err == nil || !strings.HasPrefix(err.Error(), "npm openai: ") {
			t.Errorf("%s: %v, %v", name, r, err)
		}
	}
}

func TestTypescript(t *testing.T) {
	const model = "export type ChatModel = 'gpt-9' | \"o9\" | (string & {});\n"
	for name, c := range map[string]struct{ text, ids, err string }{
		"a union":             {model, "gpt-9 o9", ""},
		"several lines":       {"declare type Model_2 =\n  | 'gpt-9'\n  /* 'gpt-8' */\n  // 'gpt-7'\n  | 'o9';\n", "gpt-9 o9", ""},
		"only a comment":      {"/** Use 'gpt-9'.\n * type Model = 'gpt-8';\n */\n// type Model = 'gpt-7';\n", "", "it has no ids"},
		"an object":           {"type GPTModel = {\n  a: 'gpt-9';\n  b: 'gpt-8';\n};\n", "", "it has no ids"},
		"other names":         {"type Tool = 'gpt-9';\nconst a = 'gpt-8';\n", "", "it has no ids"},
		"not supported":       {model + `/** - "gpt-9": Not a supported model ID. */`, "o9", ""},
		"a date":              {model + "/**\n * - \"gpt-9\",\n *   \"o9\": Announced shutdown\n *   date: 2027-01-01. See\n */", "gpt-9=2027-01-01 o9=2027-01-01", ""},
		"a date in a comment": {model + `/** - "gpt-8": Announced shutdown date: 2027-01-01. */`, "gpt-8=2027-01-01 gpt-9 o9", ""},
		"another form":        {model + `/** gpt-9: shutdown date 2027-01-01 */`, "", "unknown form"},
		"a wordy date":        {model + `/** - "gpt-9": Announced shutdown date: May 2027. */`, "", `"gpt-9" has the shutdown date "May"`},
		"two dates":           {model + `/** - "o9": Announced shutdown date: 2027-01-01. - "gpt-9", "o9": Announced shutdown date: 2027-01-02. */`, "", "o9 has the shutdown dates 2027-01-01 and 2027-01-02"},
		"the same date":       {model + `/** - "o9": Announced shutdown date: 2027-01-01. - "o9": Announced shutdown date: 2027-01-01. */`, "gpt-9 o9=2027-01-01", ""},
		"a table":             {model + "const DEPRECATED_MODELS: { [key: string]: string } = {\n  'gpt-9': 'June 3rd, 2027',\n};\n", "gpt-9=2027-06-03 o9", ""},
		"a table's day":       {model + "const DEPRECATED_MODELS = { 'gpt-9': 'soon' };\n", "", `cannot parse "soon"`},
		"a table's form":      {model + "const DEPRECATED_MODELS = { 'gpt-9': day(2027) };\n", "", "unknown form"},
		"a table's dates":     {model + "const DEPRECATED_MODELS = { 'gpt-9': 'June 3rd, 2027', 'gpt-9': 'June 4th, 2027' };\n", "", "two"},
	} {
		text := newTypescript()
		err := text.read(c.text)
		ids, dates, none := text.models()
		if err = errors.Join(err, none); c.err != "" {
			if err == nil || !strings.Contains(err.Error(), strings.Replace(c.err, "two", "gpt-9 has the shutdown dates 2027-06-03 and 2027-06-04", 1)) {
				t.Errorf("%s: %v, want %s", name, err, c.err)
			}
			continue
		}
		if got := idsAndDates(ids, dates); err != nil || got != c.ids {
			t.Errorf("%s: %s, %v; want %s", name, got, err, c.ids)
		}
	}
}
