package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// maxFeed is the size of the largest feed that is read; the largest real one has 2 MB.
const maxFeed = 16 << 20

// readFeed returns the text of a feed from a file, or from the file with .gz after its name.
func readFeed(path string) ([]byte, error) {
	file, err := os.Open(path) //nolint:gosec // the caller names the folder
	zipped := errors.Is(err, fs.ErrNotExist)
	if zipped {
		file, err = os.Open(path + ".gz") //nolint:gosec // as above
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var r io.Reader = file
	if zipped {
		if r, err = gzip.NewReader(file); err != nil {
			return nil, err
		}
	}
	text, err := io.ReadAll(io.LimitReader(r, maxFeed+1))
	if err == nil && len(text) > maxFeed {
		err = fmt.Errorf("it has more than %d bytes", maxFeed)
	}
	return text, err
}

// decode reads JSON without rounding its numbers.
func decode(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("there is text after the JSON value")
	}
	return nil
}

// object is a JSON object. A member of another type than expected counts as missing, so that an odd model does not hide the rest
// of a feed.
type object map[string]any

func (o object) object(name string) object { return asObject(o[name]) }

func asObject(v any) object {
	m, _ := v.(map[string]any)
	return m
}

func (o object) list(name string) []any {
	l, _ := o[name].([]any)
	return l
}

func (o object) text(name string) string {
	s, _ := o[name].(string)
	return s
}

// usd returns a price times a factor.
func (o object) usd(name string, factor int64) string {
	n, ok := o[name].(json.Number)
	if !ok {
		return ""
	}
	return decimal(n.String(), factor)
}
