package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// web requests the providers' pages and lists.
type web struct {
	client *http.Client
	out    io.Writer
	// base replaces the scheme and host in every URL, unless it's "".
	base string
}

// get returns at most maxFeed bytes. header is a key's header name and value, if any.
func (w *web) get(url string, header [2]string) (status int, body []byte, err error) {
	if w.base != "" {
		_, rest, _ := strings.Cut(url, "://")
		url = w.base + "/" + rest
	}
	req, err := http.NewRequest(http.MethodGet, url, http.NoBody)
	if err != nil {
		return 0, nil, err
	}
	if header[0] != "" {
		req.Header.Set(header[0], header[1])
		req.Header.Set("anthropic-version", "2023-06-01")
	}
	resp, err := w.client.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	body, err = io.ReadAll(io.LimitReader(resp.Body, maxFeed))
	return resp.StatusCode, body, err
}

// list is a provider's model list. header has the name, and the prefix before the key.
type list struct {
	provider, url, variable string
	header                  [2]string
}

var lists = []list{
	{"openai", "https://api.openai.com/v1/models", "OPENAI_API_KEY", [2]string{"Authorization", "Bearer "}},
	{"anthropic", "https://api.anthropic.com/v1/models?limit=1000", "ANTHROPIC_API_KEY", [2]string{"x-api-key", ""}},
	{"gemini", "https://generativelanguage.googleapis.com/v1beta/models?pageSize=1000", "GEMINI_API_KEY", [2]string{"x-goog-api-key", ""}},
	{"xai", "https://api.x.ai/v1/models", "XAI_API_KEY", [2]string{"Authorization", "Bearer "}},
	{"deepseek", "https://api.deepseek.com/models", "DEEPSEEK_API_KEY", [2]string{"Authorization", "Bearer "}},
}

// models returns the listed ids. It prints lists that lack a key or an answer.
func (w *web) models(getenv func(string) string) foundIDs {
	found := make(foundIDs)
	for _, l := range lists {
		key := getenv(l.variable)
		if key == "" {
			fmt.Fprintf(w.out, "%s: %s is not set, so that the list of models was not requested\n", l.provider, l.variable)
			continue
		}
		ids, err := w.ids(l, key)
		if err != nil {
			fmt.Fprintf(w.out, "%s: the list of models cannot be read: %v\n", l.provider, err)
		}
		for _, id := range ids {
			found.add(l.provider, id, "/v1/models")
		}
	}
	return found
}

// ids leaves out fine-tunes.
func (w *web) ids(l list, key string) ([]string, error) {
	status, body, err := w.get(l.url, [2]string{l.header[0], l.header[1] + key})
	switch {
	case err != nil:
		return nil, err
	case status != http.StatusOK:
		return nil, fmt.Errorf("status %d", status)
	}
	var answer object
	if err := decode(body, &answer); err != nil {
		return nil, err
	}
	var ids []string
	for _, m := range slices.Concat(answer.list("data"), answer.list("models")) {
		id := asObject(m).text("id")
		if id == "" {
			id = strings.TrimPrefix(asObject(m).text("name"), "models/")
		}
		if plainID.MatchString(id) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// page has a page's text hash, and the day since which it's the same.
type page struct {
	Hash string `json:"hash"`
	Day  string `json:"day"`
}

var pricePages = []string{
	"https://developers.openai.com/api/docs/pricing.md",
	"https://developers.openai.com/api/docs/deprecations.md",
	"https://platform.claude.com/docs/en/about-claude/pricing.md",
	"https://platform.claude.com/docs/en/about-claude/model-deprecations.md",
	"https://ai.google.dev/gemini-api/docs/pricing.md.txt",
	"https://ai.google.dev/gemini-api/docs/deprecations.md.txt",
	"https://docs.x.ai/docs/models",
	"https://api-docs.deepseek.com/quick_start/pricing",
}

// pages prints changed pages and updates their hashes. OpenAI has one page per model.
func (w *web) pages(s *state, t *table, day string) {
	urls := slices.Clone(pricePages)
	for key := range t.keys() {
		if key.provider == "openai" && key.above == 0 && !ofBuild.MatchString(key.model) {
			urls = append(urls, "https://developers.openai.com/api/docs/models/"+key.model+".md")
		}
	}
	slices.Sort(urls)
	for _, url := range urls {
		status, body, err := w.get(url, [2]string{})
		if err != nil || (status != http.StatusOK && status != http.StatusNotFound) {
			fmt.Fprintf(w.out, "%s cannot be read: status %d, %v\n", url, status, err)
			continue
		}
		hash := "not found"
		if status == http.StatusOK {
			hash = hashOf(body)
		}
		if last, known := s.Pages[url]; !known || last.Hash != hash {
			if known {
				fmt.Fprintf(w.out, "%s changed; it was the same since %s\n", url, last.Day)
			}
			s.Pages[url] = page{hash, day}
		}
	}
}

var (
	// ofBuild matches build ids, which share their model's page.
	ofBuild = regexp.MustCompile(`-(\d{4}-\d{2}-\d{2}|\d{4})$`)
	// markup matches the parts that aren't text, or differ at every request.
	markup = regexp.MustCompile(`(?s)<script.*?</script>|<style.*?</style>|<[^>]*>|\s+`)
)

// hashOf ignores markup.
func hashOf(body []byte) string {
	sum := sha256.Sum256(markup.ReplaceAll(body, []byte(" ")))
	return hex.EncodeToString(sum[:])
}
