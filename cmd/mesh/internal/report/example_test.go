package report_test

import (
	"fmt"
	"log"
	"time"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/report"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// One call a day became two, and half use a dearer model.
func ExampleBuild() {
	today := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	records := func(yield func(calls.Record, error) bool) {
		for ago := 56; ago > 0; ago-- {
			r := calls.Record{Provider: models.OpenAI, Model: "gpt-5.4-mini", Time: today.AddDate(0, 0, -ago), Status: 200, USD: "0.10"}
			if !yield(r, nil) {
				return
			}
			if r.Model, r.USD = "gpt-5.4", "0.25"; ago <= 28 && !yield(r, nil) {
				return
			}
		}
	}
	r, err := report.Build(records, report.Options{Now: today, Budgets: []string{"10/month"}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("cost", r.Total.USD, "was", r.Total.Previous.USD)
	fmt.Println("more calls", r.Change.More, "other models", r.Change.Mix, "dearer calls", r.Change.Dearer)
	fmt.Println(r.Month.Month, "until now", r.Month.USD, "at its end", r.Month.Forecast.USD)
	for _, advice := range r.Advice {
		fmt.Println(advice.Code+":", advice.Text)
	}
	// Output:
	// cost 9.8 was 2.8
	// more calls 2.8 other models 4.2 dearer calls 0
	// 2026-11 until now 7.35 at its end 10.5
	// budget: The budget 10/month will be exceeded: about 10.50 USD are expected by the end of the month.
}
