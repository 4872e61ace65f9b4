package prices_test

import (
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// gpt41 is a call of a million tokens of input.
var gpt41 = prices.Call{
	Provider: models.OpenAI, Model: "gpt-4.1", Usage: prices.Usage{Input: 1_000_000}, At: time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC),
}

func ptr[T any](v T) *T { return &v }

// failingWriter fails with err at once.
type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }
