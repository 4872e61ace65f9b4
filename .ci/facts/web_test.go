package main

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestListsOfModels(t *testing.T) {
	bodies := map[string]string{
		"/api.openai.com/v1/models":                        `{"data":[{"id":"gpt-7"},{"id":"ft:gpt-4o:acme::1"}]}`,
		"/api.anthropic.com/v1/models":                     `{"data":[{"id":"claude-7"}]}`,
		"/generativelanguage.googleapis.com/v1beta/models": `{"models":[{"name":"models/gemini-7"}]}`,
	}
	var keys []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		keys = append(keys, r.Header.Get("Authorization")+r.Header.Get("x-api-key")+r.Header.Get("x-goog-api-key"))
		if strings.Contains(r.URL.String(), "secret") {
			t.Error("a key in the URL: " + r.URL.String())
		}
		if bodies[r.URL.Path] == "" {
			w.WriteHeader(http.StatusForbidden)
		}
		_, _ = w.Write([]byte(bodies[r.URL.Path]))
	}))
	defer server.Close()
	var out strings.Builder
	w := &web{client: server.Client(), out: &out, base: server.URL}
	found := w.models(func(name string) string {
		if name == "DEEPSEEK_API_KEY" {
			return ""
		}
		return "secret"
	})
	if len(found) != 3 || found["openai/gpt-7"] == nil || found["anthropic/claude-7"] == nil || found["gemini/gemini-7"] == nil {
		t.Errorf("%v", found)
	}
	if want := []string{"Bearer secret", "secret", "secret", "Bearer secret"}; !slices.Equal(keys, want) {
		t.Errorf("%q", keys)
	}
	if want := "xai: the list of models cannot be read: status 403\ndeepseek: DEEPSEEK_API_KEY is not set, so that the list of models was not requested\n"; out.String() != want {
		t.Error(out.String())
	}
}

func TestPagesThatChange(t *testing.T) {
	body, status := "<p>a <b>price</b></p><script>1</script>", http.StatusOK
	requests := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests++
		if !strings.HasSuffix(r.URL.Path, "/models/gpt-5.md") {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	defer server.Close()
	table, err := readTable(filepath.Join(write(t, map[string]string{"t.csv": ruleTable}), "t.csv"))
	if err != nil {
		t.Fatal(err)
	}
	s, _ := readState(filepath.Join(t.TempDir(), "none"))
	const url = "https://developers.openai.com/api/docs/models/gpt-5.md"
	for i, step := range []struct {
		body   string
		status int
		want   string
	}{
		{body, http.StatusOK, ""},
		{"<p>a <i>price</i></p><script>2</script>", http.StatusOK, ""}, // the same text
		{body, http.StatusBadGateway, url + " cannot be read: status 502, <nil>\n"},
		{"<p>another price</p>", http.StatusOK, url + " changed; it was the same since 2026-11-01\n"},
		{"", http.StatusNotFound, url + " changed; it was the same since 2026-11-04\n"},
	} {
		var out strings.Builder
		body, status = step.body, step.status
		w := &web{client: server.Client(), out: &out, base: server.URL}
		w.pages(s, table, "2026-11-0"+string(rune('1'+i)))
		if out.String() != step.want {
			t.Errorf("%d: %q, want %q", i, &out, step.want)
		}
	}
	if requests < 5*len(pricePages) || len(s.Pages) <= len(pricePages) {
		t.Errorf("%d requests, %d pages", requests, len(s.Pages))
	}
}
