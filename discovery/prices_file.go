package discovery

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/internal/pricelist"
)

// A price file is a line with the format, its version and the SHA-256 digest of what follows: the rows as JSON.
const (
	pricesFileFormat  = "mesh-go-prices"
	pricesFileVersion = "1"
	// maxPricesFile is the size of the largest file that LoadPrices reads; that of the built-in list has 0.2 MB.
	maxPricesFile = 32 << 20
)

// pricesFile is the content of a price file.
type pricesFile struct {
	ETag  string            `json:"etag,omitempty"`
	Own   []ProviderPricing `json:"own,omitempty"`
	Table []pricelist.Saved `json:"table"`
}

// Save writes the list to a file for [LoadPrices]: the rows of [PriceList.With] and the table, exactly. Live rows are left out,
// because they price calls of one day; see [Client.LivePrices]. Nothing in the file is secret, but your own prices may be
// confidential. An error of w is returned.
func (l *PriceList) Save(w io.Writer) error {
	if w == nil {
		return &ValueError{Field: "writer", Reason: "must not be nil"}
	}
	content, err := json.Marshal(pricesFile{ETag: l.etag, Own: l.own.given, Table: l.table.Save()})
	if err != nil {
		return fmt.Errorf("discovery: Save: %w", err)
	}
	content = append(content, '\n')
	head := fmt.Appendf(nil, "%s %s %s\n", pricesFileFormat, pricesFileVersion, digest(content))
	if _, err := io.Copy(w, io.MultiReader(bytes.NewReader(head), bytes.NewReader(content))); err != nil {
		return fmt.Errorf("discovery: Save: %w", err)
	}
	return nil
}

// LoadPrices reads a list that [PriceList.Save] wrote. A file that is damaged, truncated, longer than 32 MiB, of another format
// version or no price file is a [*ValueError]. An error of r is returned, wrapped. The texts contain nothing of the file.
func LoadPrices(r io.Reader) (*PriceList, error) {
	if r == nil {
		return nil, &ValueError{Field: "reader", Reason: "must not be nil"}
	}
	text, err := io.ReadAll(io.LimitReader(r, maxPricesFile+1))
	if err != nil {
		return nil, fmt.Errorf("discovery: LoadPrices: %w", err)
	}
	list, err := parsePricesFile(text)
	if err != nil {
		return nil, &ValueError{Field: "reader", Reason: err.Error()}
	}
	return list, nil
}

// The causes for which a price file is rejected.
var (
	errNotAPricesFile   = errors.New("is not a file of PriceList.Save")
	errPricesVersion    = errors.New("has a format version other than " + pricesFileVersion)
	errPricesContent    = errors.New("does not contain valid prices")
	errPricesFileTooBig = fmt.Errorf("is longer than %d bytes", maxPricesFile)
)

func parsePricesFile(text []byte) (*PriceList, error) {
	head, content, _ := bytes.Cut(text, []byte("\n"))
	words := strings.Split(string(head[:min(len(head), 200)]), " ")
	switch {
	case len(text) > maxPricesFile:
		return nil, errPricesFileTooBig
	case len(words) != 3 || words[0] != pricesFileFormat:
		return nil, errNotAPricesFile
	case words[1] != pricesFileVersion:
		return nil, errPricesVersion
	case words[2] != digest(content):
		return nil, errFileDamaged
	}
	var f pricesFile
	if err := json.Unmarshal(content, &f); err != nil {
		return nil, errPricesContent
	}
	table, ok := pricelist.Load(f.Table)
	if !ok || strings.ContainsFunc(f.ETag, func(r rune) bool { return r < ' ' || r == 0x7f }) { // it is sent as a header
		return nil, errPricesContent
	}
	list := &PriceList{table: table, etag: f.ETag}
	if len(f.Own) == 0 {
		return list, nil
	}
	if list, err := list.With(f.Own...); err == nil {
		return list, nil
	}
	return nil, errPricesContent
}
