package focus_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"log"
	"slices"
	"time"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/focus"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// Records usually come from calls.Read.
func Example() {
	rows := focus.NewCalls(prices.BuiltIn(), "org-1")
	err := rows.Add(calls.Record{
		Provider: models.OpenAI, Model: "gpt-4.1", Time: time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC), Status: 200,
		Usage: json.RawMessage(`{"input_tokens":1000,"output_tokens":50,"total_tokens":1050}`), USD: "0.0024",
	})
	if err != nil {
		log.Fatal(err)
	}
	var text bytes.Buffer
	if err := rows.WriteCSV(&text); err != nil {
		log.Fatal(err)
	}
	lines, err := csv.NewReader(&text).ReadAll()
	if err != nil {
		log.Fatal(err)
	}
	for _, line := range lines[1:] {
		cell := func(column string) string { return line[slices.Index(lines[0], column)] }
		fmt.Println(cell("ProviderName"), cell("SkuId"), cell("ConsumedQuantity"), cell("BilledCost"))
	}
	// Output:
	// OpenAI gpt-4.1/input 1000 0.002
	// OpenAI gpt-4.1/output 50 0.0004
}
