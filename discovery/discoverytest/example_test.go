package discoverytest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// In a test, use New(t) instead of Start and Close.
func Example() {
	s := discoverytest.Start()
	defer s.Close()
	c, err := discovery.New(s.Options()...)
	if err != nil {
		fmt.Println(err)
		return
	}

	m, err := c.GetModelInfo(context.Background(), "gpt-4o", discovery.CatalogOptions{})
	if err != nil || m == nil {
		fmt.Println("not found:", err)
		return
	}
	fmt.Println(m.ID, *m.ContextLength)
	for _, r := range s.Requests(discoverytest.ListCatalog) {
		fmt.Println(r.Method, r.Path, len(r.Keys), "keys")
	}
	// Output:
	// openai/gpt-4o 128000
	// GET /models 0 keys
}

// The catalog is down. The one provider with a key takes its place, page after page.
func ExampleServer_Fail() {
	os.Setenv("GEMINI_API_KEY", "example-key") // in a test: t.Setenv
	defer os.Unsetenv("GEMINI_API_KEY")
	s := discoverytest.Start(discoverytest.WithPageSize(5))
	defer s.Close()
	s.Fail(discoverytest.ListCatalog, discoverytest.Fault{Status: 503, Body: "back in a minute"})
	c, err := discovery.New(append(s.Options(),
		discovery.WithLogger(slog.New(slog.DiscardHandler)),
		discovery.WithFailureHandler(func(f discovery.Failure) { fmt.Println(f) }),
	)...)
	if err != nil {
		fmt.Println(err)
		return
	}

	list, err := c.ListModels(context.Background(), discovery.CatalogOptions{})
	fmt.Println(len(list), "models of", list[0].Developer, err)
	fmt.Println(len(s.Requests(discoverytest.ListGeminiModels)), "pages")
	// Output:
	// discovery: ListModels: catalog: status: status 503: back in a minute
	// 15 models of Google <nil>
	// 3 pages
}

// Official SDKs take the URL as their base URL: option.WithBaseURL(s.URL +
// "/openai/v1/").
func ExampleServer_SetCompletion() {
	s := discoverytest.Start()
	defer s.Close()
	s.SetCompletion(discoverytest.CreateOpenAIChat, discoverytest.Completion{
		Text:  "Good day.",
		Usage: json.RawMessage(`{"prompt_tokens":1200,"completion_tokens":7,"total_tokens":1207}`),
	})

	body := strings.NewReader(`{"model":"gpt-5-mini","messages":[{"role":"user","content":"Hello?"}]}`)
	req, _ := http.NewRequest(http.MethodPost, s.URL+"/openai/v1/chat/completions", body)
	req.Header.Set("Authorization", "Bearer example-key")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	got, err := prices.ParseResponse(models.OpenAI, text)
	fmt.Println(got.ID, got.Model, got.Usage.Input, got.Usage.Output, err)
	// Output: chatcmpl-1 gpt-5-mini 1200 7 <nil>
}
