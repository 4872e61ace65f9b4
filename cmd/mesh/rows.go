package main

import (
	"fmt"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/lookup"
)

// maxWarnings is how many rows that cannot be decoded a command names.
const maxWarnings = 5

// skipInvalid warns of the rows of a list that cannot be decoded. It returns err if it is another error.
func (a *app) skipInvalid(err error) error {
	rows, err := lookup.InvalidRows(err)
	a.warnInvalid(rows)
	return err
}

func (a *app) warnInvalid(rows []*client.RowError) {
	for _, row := range rows[:min(len(rows), maxWarnings)] {
		a.warn(row)
	}
	if more := len(rows) - maxWarnings; more > 0 {
		a.warn(fmt.Errorf("%d more rows cannot be decoded", more))
	}
}
