// These examples show model names and retirements.

package models_test

import (
	"fmt"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/models"
)

func ExampleParseProvider() {
	for _, name := range []string{"Open AI", "x-ai", "Google", "Meta"} {
		provider, err := models.ParseProvider(name)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(provider)
	}
	// Output:
	// openai
	// xai
	// gemini
	// models: provider "Meta" is not one of openai, deepseek, anthropic, gemini, xai
}

func ExampleNormalizeModelID() {
	fmt.Println(models.NormalizeModelID(models.OpenAI, "openai/gpt-4o-2024-08-06"))
	fmt.Println(models.NormalizeModelID(models.Anthropic, "us.anthropic.claude-opus-4-5-20251101-v1:0"))
	fmt.Println(models.NormalizeModelID(models.Gemini, "models/gemini-2.0-flash-001"))
	fmt.Println(models.NormalizeModelID(models.XAI, "x-ai/grok-4-5"))
	fmt.Println(models.NormalizeModelID(models.DeepSeek, "deepseek/deepseek-chat-v3.1"))
	// Output:
	// gpt-4o
	// claude-opus-4-5
	// gemini-2.0-flash
	// grok-4.5
	// deepseek-chat
}

func ExampleIsRetiredOn() {
	date, _ := models.RetirementDate(models.Anthropic, "claude-sonnet-4-5")
	fmt.Println("until", date)
	for _, day := range []int{30, 31} { // 31 November is 1 December
		fmt.Println(models.IsRetiredOn(models.Anthropic, "anthropic/claude-sonnet-4.5", time.Date(2026, time.November, day, 9, 0, 0, 0, time.UTC)))
	}
	// Output:
	// until 2026-11-30
	// false
	// true
}

func ExampleRegistry_RetirementDate() {
	registry := models.Retirements() // Client.Retirements adds the providers' live data
	for _, id := range []string{"gpt-4o", "gpt-4o-2024-05-13", "gpt-4o-2024-12-01"} {
		date, known := registry.RetirementDate(models.OpenAI, id)
		fmt.Println(id, date, known)
	}
	// Output:
	// gpt-4o 2027-01-14 true
	// gpt-4o-2024-05-13 2026-10-23 true
	// gpt-4o-2024-12-01  false
}

// Check accepts other spellings, too, and returns the provider's recommended replacement.
func ExampleRegistry_Check() {
	day := time.Date(2026, time.November, 22, 0, 0, 0, 0, time.UTC)
	registry := models.Retirements()
	for _, id := range []string{"o1-mini", "openai/gpt-4o", "gpt-6.2-sol", "gpt-4p"} {
		status := registry.Check(models.OpenAI, id, day)
		fmt.Printf("%s: %s, date %q, replacement %q\n", id, status.State, status.Date, status.Replacement)
	}
	// Output:
	// o1-mini: retired, date "2025-10-27", replacement "gpt-5.6-terra"
	// openai/gpt-4o: retiring, date "2027-01-14", replacement "gpt-6-luna"
	// gpt-6.2-sol: listed, date "", replacement ""
	// gpt-4p: unknown, date "", replacement ""
}

func ExampleRegistry_RetiringWithin() {
	inTenDays := time.Now().UTC().AddDate(0, 0, 10).Format(time.DateOnly)
	registry := models.Registry{}.With(map[models.ModelKey]string{
		{Provider: models.XAI, ID: "grok-old"}:  "2026-05-15",
		{Provider: models.XAI, ID: "grok-next"}: inTenDays,
	})
	for _, soon := range registry.RetiringWithin(60 * 24 * time.Hour) {
		fmt.Println(soon.Provider, soon.ID, soon.Date == inTenDays)
	}
	// Output:
	// xai grok-next true
}
