package bills_test

import (
	"fmt"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/bills"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

func ExampleCompare() {
	day, billed := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC), int64(3_000_000)
	c, err := bills.Compare(&bills.Bill{
		Provider: models.OpenAI, From: day, To: day.AddDate(0, 0, 1),
		Items: []bills.Item{{Day: "2026-11-21", Name: "gpt-5.2, input", Model: "gpt-5.2", Kind: "input", USD: "5.25", Tokens: &billed}},
	}, []calls.Group{{Names: []string{calls.ByDay, calls.ByModel}, Values: []string{"2026-11-21", "gpt-5.2"}, Calls: 40, USD: "3.5", Usage: prices.Usage{Input: 2_000_000}}})
	if err != nil {
		panic(err)
	}
	fmt.Println(c)
	// Output:
	// Bill and calls differ by 33.3 % of the bill, more than the limit of 2 %.
	// Billed 5.25 USD, counted 3.50 USD; +1.75 USD for calls that were not counted.
	// 2026-11-21 gpt-5.2: +1.75 USD for calls that were not counted.
}
