package prices

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/internal/pricelist"
	"github.com/mesh-gateway/mesh-go/discovery/internal/savefile"
)

var pricesFormat = savefile.Format{Name: "mesh-go-prices", Version: "2", Writer: "List.Save"}

// maxPricesFile is the size of the largest file that Load reads; that of the built-in list has 0.2 MB.
const maxPricesFile = 32 << 20

// pricesFile is the content of a price file.
type pricesFile struct {
	ETag string `json:"etag,omitempty"`
	Own  []Row  `json:"own,omitempty"`
	// Table is the text of the table; "" for none. Updated reports that it is one of UpdatePrices.
	Table   string `json:"table"`
	Updated bool   `json:"updated,omitempty"`
	// Confirmed is the text of WithConfirmed for the table.
	Confirmed string `json:"confirmed,omitempty"`
}

// Save writes the list to a file for [Load]: the rows of [List.With] and the table, exactly. Live rows are left out, because they price
// calls of one day; see [github.com/mesh-gateway/mesh-go/discovery.Client.LivePrices]. Nothing in the file is secret, but your own prices
// may be confidential. An error of w is returned.
func (l *List) Save(w io.Writer) error {
	if w == nil {
		return invalid("w", "", "must not be nil")
	}
	file := pricesFile{ETag: l.etag, Own: l.own.given}
	if l.table != nil {
		file.Table, file.Updated, file.Confirmed = l.table.Table, l.table.Updated, l.table.Confirmed
	}
	content, err := json.Marshal(file)
	if err != nil {
		return fmt.Errorf("prices: Save: %w", err)
	}
	if _, err := io.Copy(w, bytes.NewReader(pricesFormat.File(append(content, '\n')))); err != nil {
		return fmt.Errorf("prices: Save: %w", err)
	}
	return nil
}

// Load reads a list that [List.Save] wrote. A file that is damaged, truncated, longer than 32 MiB, of another format
// version or no price file is a [*ValueError]. An error of r is returned, wrapped. The texts contain nothing of the file.
func Load(r io.Reader) (*List, error) {
	if r == nil {
		return nil, invalid("reader", "", "must not be nil")
	}
	text, err := io.ReadAll(io.LimitReader(r, maxPricesFile+1))
	if err != nil {
		return nil, fmt.Errorf("prices: Load: %w", err)
	}
	list, err := parsePricesFile(text)
	if err != nil {
		return nil, invalid("reader", "", err.Error())
	}
	return list, nil
}

// The causes for which a price file is rejected.
var (
	errPricesContent    = errors.New("does not contain valid prices")
	errPricesFileTooBig = fmt.Errorf("is longer than %d bytes", maxPricesFile)
)

func parsePricesFile(text []byte) (*List, error) {
	if len(text) > maxPricesFile {
		return nil, errPricesFileTooBig
	}
	content, err := pricesFormat.Content(text)
	if err != nil {
		return nil, err
	}
	var f pricesFile
	if err := json.Unmarshal(content, &f); err != nil {
		return nil, errPricesContent
	}
	table, err := f.list()
	if err != nil || strings.ContainsFunc(f.ETag, func(r rune) bool { return r < ' ' || r == 0x7f }) { // it is sent as a header
		return nil, errPricesContent
	}
	list := &List{table: table, etag: f.ETag}
	if len(f.Own) == 0 {
		return list, nil
	}
	if list, err := list.With(f.Own...); err == nil {
		return list, nil
	}
	return nil, errPricesContent
}

// list returns the price list of the table, or nil if the file has no table.
func (f *pricesFile) list() (*pricelist.List, error) {
	if f.Table == "" {
		return nil, nil //nolint:nilnil // the list of an empty List
	}
	read := pricelist.Read
	if f.Updated {
		read = pricelist.Update
	}
	table, err := read(f.Table)
	if err != nil || f.Confirmed == "" {
		return table, err
	}
	return table.Confirm(f.Confirmed, pricelist.Tomorrow())
}
