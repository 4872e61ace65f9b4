package calls_test

import (
	"fmt"
	"log"
	"os"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// Usually a meter calls Log.Record; here the records are written by hand.
func Example() {
	folder, err := os.MkdirTemp("", "calls")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	file, err := calls.OpenLog(folder)
	if err != nil {
		log.Fatal(err)
	}
	noon := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	for _, usd := range []prices.USD{"0.1", "0.25"} {
		file.Record(calls.Record{Provider: models.OpenAI, Model: "gpt-5.2", Time: noon, Status: 200, USD: usd})
	}
	if err := file.Close(); err != nil {
		log.Fatal(err)
	}

	sums, err := calls.Sum(calls.Options{By: [][]string{{calls.ByDay, calls.ByModel}}}, folder)
	if err != nil {
		log.Fatal(err)
	}
	for _, group := range sums[0] {
		fmt.Println(group)
	}
	// Output: 2026-11-22 gpt-5.2 0.35 USD; calls: 2, unpriced: 0
}
