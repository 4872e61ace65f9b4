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

// maxFeed is in bytes. The largest real feed has 2 MB.
const maxFeed = 16 << 20

// readFeed falls back to path with .gz added.
func readFeed(path string) ([]byte, error) {
	file, err := os.Open(path) //nolint:gosec // the caller chooses the directory
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

// decode keeps numbers exact.
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

// object is a JSON object. A member with an unexpected type counts as missing: one odd
// model mustn't hide the rest of a feed.
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

// usd returns "" if the member isn't a price.
func (o object) usd(name string, factor int64) string {
	n, ok := o[name].(json.Number)
	if !ok {
		return ""
	}
	return decimal(n.String(), factor)
}
