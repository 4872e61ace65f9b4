package app

import (
	"fmt"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/mail"
)

// maxWarnings is how many rows that cannot be decoded a command names.
const maxWarnings = 5

// SkipInvalid warns of the rows of a list that cannot be decoded. It returns err if it is another error.
func (a *App) SkipInvalid(err error) error {
	rows, err := mail.InvalidRows(err)
	a.WarnInvalid(rows)
	return err
}

// WarnInvalid warns of rows that cannot be decoded.
func (a *App) WarnInvalid(rows []*client.RowError) {
	for _, row := range rows[:min(len(rows), maxWarnings)] {
		a.Warn(row)
	}
	if more := len(rows) - maxWarnings; more > 0 {
		a.Warn(fmt.Errorf("%d more rows cannot be decoded", more))
	}
}
