// These examples show the catalog, model names and retirements.

package discovery_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"path/filepath"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

func ExampleClient_ListModels() {
	server := discoverytest.Start() // stands in for the real catalog
	defer server.Close()
	c, err := discovery.New(server.Options()...)
	if err != nil {
		fmt.Println(err)
		return
	}

	models, err := c.ListModels(context.Background(), discovery.CatalogOptions{Provider: models.DeepSeek})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(models), models[0].ID, models[0].Developer)
	// Output: 10 deepseek/deepseek-chat DeepSeek AI
}

func ExampleClient_GetModelInfo() {
	server := discoverytest.Start()
	defer server.Close()
	c, err := discovery.New(server.Options()...)
	if err != nil {
		fmt.Println(err)
		return
	}

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

// A short-lived program keeps the catalog in a file. The second run sends no request.
func ExampleClient_SaveCatalog() {
	server := discoverytest.Start()
	defer server.Close()
	dir, err := os.MkdirTemp("", "catalog") // a real program uses os.UserCacheDir
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "catalog")

	run := func() {
		c, err := discovery.New(server.Options()...)
		if err != nil {
			fmt.Println(err)
			return
		}
		before, _ := os.ReadFile(path)
		if err := c.LoadCatalog(bytes.NewReader(before)); err != nil {
			fmt.Println("load:", err)
		}
		m, err := c.GetModelInfo(context.Background(), "grok-4.5", discovery.CatalogOptions{})
		if err != nil || m == nil {
			log.Fatal("grok-4.5 was not found: ", err)
		}
		fmt.Println(m.ID, "after", len(server.Requests()), "request")

		var after bytes.Buffer
		if err := c.SaveCatalog(&after); err != nil || bytes.Equal(after.Bytes(), before) {
			return // in an outage, the older file stays
		}
		if err := os.WriteFile(path+".new", after.Bytes(), 0o600); err != nil {
			log.Fatal(err)
		}
		if err := os.Rename(path+".new", path); err != nil {
			log.Fatal(err)
		}
	}
	run()
	run()
	// Output:
	// load: discovery: reader is not from SaveCatalog
	// x-ai/grok-4-5 after 1 request
	// x-ai/grok-4-5 after 1 request
}

func ExampleWithFailureHandler() {
	server := discoverytest.Start()
	defer server.Close()
	server.Fail(discoverytest.ListCatalog, discoverytest.Fault{Status: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"30"}}})
	c, err := discovery.New(append(server.Options(), discovery.WithLogger(discardLogger), discovery.WithFailureHandler(func(f discovery.Failure) {
		fmt.Println(f.Operation, f.Reason, f.RetryAfter)
	}))...)
	if err != nil {
		fmt.Println(err)
		return
	}

	models, err := c.ListModels(context.Background(), discovery.CatalogOptions{})
	fmt.Println(len(models), err) // empty, and no error: the handler receives it
	// Output:
	// ListModels rate_limited 30s
	// 0 <nil>
}

// With strict errors, an operation returns its Failure as an error.
func ExampleWithStrictErrors() {
	server := discoverytest.Start()
	defer server.Close()
	server.Fail(discoverytest.ListCatalog, discoverytest.Fault{Status: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"30"}}})
	c, err := discovery.New(append(server.Options(), discovery.WithLogger(discardLogger), discovery.WithStrictErrors())...)
	if err != nil {
		fmt.Println(err)
		return
	}

	_, err = c.IsModelSupported(context.Background(), "gpt-4o", discovery.CatalogOptions{})
	var f *discovery.Failure
	if errors.As(err, &f) && f.Reason == discovery.ReasonRateLimited {
		fmt.Println("try again in", f.RetryAfter)
	}
	// Output:
	// try again in 30s
}
