// Command retirement-check is a CI step that fails if a model is retired or retires soon.
//
//	go run ./examples/retirement-check gpt-5.2 claude-opus-4-8
//	go run ./examples/retirement-check -file models.txt
//
// A file has one model per line; blank lines and lines that begin with # are skipped. The exit status is 0 if no model retires
// within 60 days (-days), 1 if one does, and 2 for invalid arguments. An unknown model is reported and does not fail the step,
// because it may be newer than the registry.
//
// The dates are those of the built-in registry, so the program needs no network and no keys. [discovery.Client.Retirements]
// adds the dates that the providers report now.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery"
)

func main() {
	c := check{registry: discovery.Retirements(), today: time.Now().UTC(), out: os.Stdout}
	os.Exit(c.run(os.Args[1:], os.Stderr))
}

// check is one run of the program.
type check struct {
	registry discovery.Registry
	today    time.Time
	days     int
	out      io.Writer
}

// run returns the exit status.
func (c *check) run(args []string, errs io.Writer) int {
	flags := flag.NewFlagSet("retirement-check", flag.ContinueOnError)
	flags.SetOutput(errs)
	file := flags.String("file", "", "a file with one model in each line")
	flags.IntVar(&c.days, "days", 60, "fail when a model retires within so many days")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	models, err := models(flags.Args(), *file)
	if err != nil {
		fmt.Fprintln(errs, "retirement-check:", err)
		return 2
	}
	status := 0
	for _, model := range models {
		if !c.stays(model) {
			status = 1
		}
	}
	fmt.Fprintf(c.out, "%d models checked, registry of %s\n", len(models), discovery.RetirementsAsOf())
	return status
}

// stays prints the state of a model and reports whether the model may be used for some time yet.
func (c *check) stays(model string) bool {
	provider, known := discovery.ProviderOf(model)
	if !known {
		fmt.Fprintf(c.out, "%-10s  %s: no provider has models of that form\n", "unknown", model)
		return true
	}
	status := c.registry.Check(provider, model, c.today)
	line := fmt.Sprintf("%-10s  %s", status.State, model)
	if status.Date != "" {
		line += ", " + status.Date
	}
	if status.Replacement != "" {
		line += ", use " + status.Replacement
	}
	fmt.Fprintln(c.out, line)
	return status.State != discovery.StateRetired && !c.soon(status.Date)
}

// soon reports whether a retirement date is at most c.days away. A model without a date has "".
func (c *check) soon(date string) bool {
	return date != "" && date <= c.today.AddDate(0, 0, c.days).Format(time.DateOnly)
}

// models returns the models of the arguments and of the file. A check of nothing would always pass, so it is an error.
func models(args []string, file string) ([]string, error) {
	list := args
	if file != "" {
		text, err := os.ReadFile(file) //nolint:gosec // the user names the file
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
				list = append(list, line)
			}
		}
	}
	if len(list) == 0 {
		return nil, errors.New("no models are given")
	}
	return list, nil
}
