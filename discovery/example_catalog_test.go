package discovery_test

import (
	"context"
	"fmt"
	"log"
	"net/http"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
)

func ExampleClient_ListModels() {
	server := discoverytest.Start() // stands for the real catalog
	defer server.Close()
	c := discovery.New(server.Options()...)

	models, err := c.ListModels(context.Background(), discovery.CatalogOptions{Provider: discovery.DeepSeek})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(models), models[0].ID, models[0].Developer)
	// Output: 10 deepseek/deepseek-chat DeepSeek AI
}

func ExampleClient_GetModelInfo() {
	server := discoverytest.Start()
	defer server.Close()
	c := discovery.New(server.Options()...)

	for _, id := range []string{"gpt-4o", "GPT-4o", "claude-sonnet-4-6", "grok-4.5", "gpt-3"} {
		m, err := c.GetModelInfo(context.Background(), id, discovery.CatalogOptions{})
		if err != nil {
			log.Fatal(err)
		}
		if m == nil {
			fmt.Println(id, "is not in the catalog")
			continue
		}
		fmt.Println(id, "is", m.ID)
	}
	// Output:
	// gpt-4o is openai/gpt-4o
	// GPT-4o is openai/gpt-4o
	// claude-sonnet-4-6 is anthropic/claude-sonnet-4.6
	// grok-4.5 is x-ai/grok-4-5
	// gpt-3 is not in the catalog
}

func ExampleWithFailureHandler() {
	server := discoverytest.Start()
	defer server.Close()
	server.Fail(discoverytest.ListCatalog, discoverytest.Fault{Status: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"30"}}})
	c := discovery.New(append(server.Options(), discovery.WithLogger(quiet), discovery.WithFailureHandler(func(f discovery.Failure) {
		fmt.Println(f.Operation, f.Reason, f.RetryAfter)
	}))...)

	models, err := c.ListModels(context.Background(), discovery.CatalogOptions{})
	fmt.Println(len(models), err) // empty, and no error: the handler was told
	// Output:
	// ListModels rate_limited 30s
	// 0 <nil>
}
