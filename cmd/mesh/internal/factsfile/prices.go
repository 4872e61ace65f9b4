package factsfile

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/openfile"
)

// PricesVariable lists the user's price files, separated as in PATH.
const PricesVariable = "MESH_PRICES"

// PriceFiles returns the files in MESH_PRICES.
func PriceFiles() []string {
	names := filepath.SplitList(os.Getenv(PricesVariable))
	return slices.DeleteFunc(names, func(name string) bool { return name == "" })
}

// WithPrices adds the user's price files to a list. Later files take precedence. An error
// has the file, line and column.
func WithPrices(list *prices.List, names []string) (*prices.List, error) {
	for _, name := range names {
		rows, err := readRows(name)
		if err == nil {
			list, err = list.With(rows...)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return list, nil
}

func readRows(name string) ([]prices.Row, error) {
	text, err := openfile.ReadTyped(name, maxFile)
	if err != nil {
		return nil, exit.WithoutPath(err)
	}
	rows, err := prices.ReadCSV(bytes.NewReader(text))
	var wrong *prices.ValueError
	switch {
	case !errors.As(err, &wrong):
		return rows, exit.WithoutPath(err)
	case wrong.Value == "":
		return nil, errors.New(strings.TrimPrefix(wrong.Reason, "is wrong in "))
	}
	return nil, fmt.Errorf("%q %s", wrong.Value, wrong.Reason) // wrong.Field is a Go name
}
