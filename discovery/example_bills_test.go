// These examples show bills and balances.

package discovery_test

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// The server stands in for OpenAI; a program uses discovery.New() and OPENAI_ADMIN_KEY.
func ExampleClient_ReconcileOpenAICost() {
	server := discoverytest.Start(discoverytest.WithKeys(map[discovery.Service]string{discovery.ServiceOpenAIAdmin: "example-key"}))
	defer server.Close()
	client, err := discovery.New(server.Options()...)
	if err != nil {
		fmt.Println(err)
		return
	}

	counted := 8.0 // what the program believes it spent in these two days
	start := time.Date(2025, 5, 1, 0, 0, 0, 0, time.UTC)
	report, err := client.ReconcileOpenAICost(context.Background(), discovery.OpenAICostQuery{
		StartTime: start.Unix(), EndTime: start.AddDate(0, 0, 2).Unix(),
	}, &counted)
	if err != nil || !report.Complete { // not complete: the bill couldn't be read, and a Failure was reported
		return
	}
	fmt.Println("billed", report.ActualUSD, "counted", *report.AttributedUSD)
	fmt.Println("drift", *report.DriftUSD, "USD,", *report.DriftPct, "percent")
	ok, known := report.Within(5)
	fmt.Println("within 5 percent:", ok, known)
	// Output:
	// billed 8.5 counted 8
	// drift 0.5 USD, 6.25 percent
	// within 5 percent: false true
}

// With calls, the report compares counted and billed amounts day by day. The server
// stands in for Anthropic; a program uses discovery.New() and ANTHROPIC_ADMIN_KEY.
func ExampleClient_ReconcileAnthropicCost() {
	server := discoverytest.Start(discoverytest.WithKeys(map[discovery.Service]string{discovery.ServiceAnthropicAdmin: "example-key"}))
	defer server.Close()
	client, err := discovery.New(server.Options()...)
	if err != nil {
		fmt.Println(err)
		return
	}
	counted, err := calls.NewTotals("day", "model", "provider", "platform", "billing")
	if err != nil {
		return
	}

	start := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	for day, output := range []int{45_000, 40_000} {
		usage := fmt.Appendf(nil, `{"input_tokens":200000,"output_tokens":%d}`, output) // from a response
		err := counted.Add(calls.Record{Provider: models.Anthropic, Model: "claude-opus-4-8", Usage: usage, Time: start.AddDate(0, 0, day)})
		if err != nil {
			return
		}
	}
	report, err := client.ReconcileAnthropicCost(context.Background(), discovery.AnthropicCostQuery{
		Start: start, End: start.AddDate(0, 0, 2), GroupBy: []discovery.GroupBy{discovery.GroupByWorkspaceID},
	}, nil)
	if err != nil || !report.Complete {
		return
	}
	fmt.Println("by workspace:", report.Buckets[0].WorkspaceBreakdown)
	if err := report.WithCalls(counted.Groups()).Table(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// by workspace: map[:0.0225 wrkspc_example:2.1025]
	//    anthropic  billed  counted
	//   2026-05-01    2.12     2.12
	//   2026-05-02    2.13     2.00
	//       billed    4.25
	//      counted    4.12
	//        drift   +0.13
	//      drift %   +3.03
}

// The server stands in for xAI; a program uses discovery.New(), XAI_MANAGEMENT_KEY and
// XAI_TEAM_ID.
func ExampleClient_ReconcileXAICost() {
	server := discoverytest.Start(discoverytest.WithKeys(map[discovery.Service]string{discovery.ServiceXAIManagement: "example-key"}))
	defer server.Close()
	client, err := discovery.New(server.Options()...)
	if err != nil {
		fmt.Println(err)
		return
	}

	counted := 2.6
	report, err := client.ReconcileXAICost(context.Background(), discovery.XAICostQuery{
		StartTime: "2025-05-01", EndTime: "2025-05-03", TeamID: "team-example", // days in UTC
	}, &counted)
	if err != nil || !report.Complete {
		return
	}
	for _, item := range report.Buckets[0].LineItems {
		fmt.Println(item.Description, item.USD)
	}
	fmt.Println("billed", report.ActualUSD, "drift", *report.DriftUSD)
	// Output:
	// Chat grok-4.5 1.25
	// File Storage 0.05
	// billed 2.6 drift 0
}

// The difference between two balances is the amount spent. The server stands in for
// DeepSeek; a program uses discovery.New() and DEEPSEEK_API_KEY.
func ExampleClient_FetchDeepSeekBalance() {
	server := discoverytest.Start(discoverytest.WithKeys(map[discovery.Service]string{discovery.ServiceDeepSeek: "example-key"}))
	defer server.Close()
	client, err := discovery.New(server.Options()...)
	if err != nil {
		fmt.Println(err)
		return
	}

	now, err := client.FetchDeepSeekBalance(context.Background(), discovery.BalanceOptions{})
	if err != nil || now == nil { // nil: the balance is unknown, and a Failure was reported
		return
	}
	fmt.Println(now.TotalBalance, now.Currency)

	before := discovery.BalanceSnapshot{TotalBalance: 45.25, GrantedBalance: 2.5, ToppedUpBalance: 42.75, Currency: "USD"} // from yesterday
	spent, err := discovery.SpendBetween(before, *now)
	fmt.Println("spent", spent, err)

	_, err = discovery.SpendBetween(*now, before)
	fmt.Println(err)
	// Output:
	// 42.5 USD
	// spent 2.75 <nil>
	// discovery: ToppedUpBalance "42.75" is higher than before: the account was topped up
}
