package meter_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// startOpenAI starts OpenAI's API in memory. A server's providers share its host, so a
// test with several providers needs a server for each.
func startOpenAI() (s *discoverytest.Server, host string) {
	s = discoverytest.Start()
	s.SetCompletion(discoverytest.CreateOpenAIChat, discoverytest.Completion{
		Model: "gpt-4o-2024-08-06", Usage: json.RawMessage(`{"prompt_tokens":1000,"completion_tokens":500,"total_tokens":1500}`),
	})
	return s, strings.TrimPrefix(s.URL, "http://")
}

// complete sends a request like an SDK would.
func complete(ctx context.Context, c *http.Client, s *discoverytest.Server) error {
	body := strings.NewReader(`{"model":"gpt-4o","messages":[{"role":"user","content":"Hello?"}]}`)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/openai/v1/chat/completions", body)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer example-key")
	res, err := c.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	_, err = io.ReadAll(res.Body)
	return err
}

// Official hosts are known. WithEndpoint is for proxies, and for test servers.
func ExampleNew() {
	s, host := startOpenAI()
	defer s.Close()
	m, err := meter.New(meter.WithEndpoint(meter.Endpoint{Host: host, API: models.OpenAI}),
		meter.WithRecorder(func(r calls.Record) { fmt.Println(r.Model, r.USD, "USD") }))
	if err != nil {
		fmt.Println(err)
		return
	}
	c := m.Client() // for an official SDK: option.WithHTTPClient(m.Client())
	for range 2 {
		if err := complete(context.Background(), c, s); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(m.Spent())
	// Output:
	// gpt-4o-2024-08-06 0.0075 USD
	// gpt-4o-2024-08-06 0.0075 USD
	// 0.015 USD; calls: 2, unpriced: 0, ignored: 0
}

// Each user has a budget, and records are summed by user.
func ExampleWithLabel() {
	s, host := startOpenAI()
	defer s.Close()
	var mu sync.Mutex
	records := map[string]int{}
	m, err := meter.New(meter.WithEndpoint(meter.Endpoint{Host: host, API: models.OpenAI}),
		meter.WithBudget(meter.Budget{USD: "0.02", Per: meter.PeriodDay, Label: "user", PerCall: "0.0075"}),
		meter.WithRecorder(func(r calls.Record) {
			mu.Lock()
			defer mu.Unlock()
			records[r.Labels["user"]]++
		}))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, user := range []string{"ann", "bob", "ann", "ann"} {
		ctx := meter.WithLabel(context.Background(), "user", user)
		if err := complete(ctx, m.Client(), s); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println("ann", records["ann"], "bob", records["bob"])
	// Output:
	// meter: the budget of 0.02 USD of user "ann" for this day refuses the call: 0.015 USD spent, 0 USD set aside
	// ann 2 bob 1
}

// A budget survives a restart if a recorder kept the records.
func ExampleMeter_Restore() {
	kept := []calls.Record{{Provider: models.OpenAI, Model: "gpt-4o", USD: "4.9999"}, {Provider: models.OpenAI, Model: "gpt-4o", USD: "0.0001"}}
	m, err := meter.New(meter.WithBudget(meter.Budget{USD: "5"}))
	if err != nil {
		fmt.Println(err)
		return
	}
	err = m.Restore(func(yield func(calls.Record, error) bool) {
		_ = !slices.ContainsFunc(kept, func(r calls.Record) bool { return !yield(r, nil) })
	})
	fmt.Println(m.Spent().USD, err)

	res, err := m.Client().Post("https://api.openai.com/v1/responses", "application/json", strings.NewReader(`{"model":"gpt-4o"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer res.Body.Close()
	_, err = io.ReadAll(res.Body)
	fmt.Println(res.Status)
	fmt.Println(err) // a *meter.BudgetError, which the SDKs wrap
	// Output:
	// 5 <nil>
	// 402 Payment Required
	// meter: the budget of 5 USD refuses the call: 5 USD spent, 0 USD set aside
}

// To learn what each message cost, the handler labels its message's calls.
func Example_serve() {
	s, host := startOpenAI()
	defer s.Close()
	g := gatewaytest.Start(gatewaytest.WithPeers("node-b"))
	defer g.Close()
	m, err := meter.New(meter.WithEndpoint(meter.Endpoint{Host: host, API: models.OpenAI}),
		meter.WithRecorder(func(r calls.Record) { fmt.Println("message", r.Labels["message"], "cost", r.USD, "USD") }))
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := client.New("node-a", g.Options()...)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	g.Store("node-b", "node-a", "question", "Is the build green?")

	ctx, stop := context.WithCancel(context.Background())
	err = agent.Serve(ctx, c, func(ctx context.Context, message client.MeshMessage) error {
		defer stop() // after one message
		ctx = meter.WithLabel(ctx, "message", fmt.Sprint(message.ID))
		return complete(ctx, m.Client(), s)
	}, agent.ServeOptions{Kinds: []client.Kind{client.KindQuestion}, Register: &client.RegisterRequest{URL: "http://node-a:8787"}})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// message 1 cost 0.0075 USD
}
