package calls

import (
	"math"
	"time"

	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

func skip(d *jsonread.Decoder) error {
	if d.Skip() != nil {
		return errLine
	}
	return nil
}

func readText(d *jsonread.Decoder, field *[]byte) (err error) {
	if *field, err = d.StrBytes(); err != nil {
		return errLine
	}
	return nil
}

// readObject keeps the JSON of an object, which is only decoded where it is needed.
func readObject(d *jsonread.Decoder, field *[]byte) error {
	if d.Next() != jsonread.Object {
		return errLine
	}
	raw, err := d.Raw()
	if err != nil {
		return errLine
	}
	*field = raw
	return nil
}

// readValues is readObject for values that all are of one kind, or null.
func (e *entry) readValues(d *jsonread.Decoder, field *[]byte, value func() error) error {
	if d.Next() != jsonread.Object {
		return errLine
	}
	begin := d.Mark()
	var err error
	members := d.Object()
	for e.values.reset(); err == nil && members.Next(); {
		if e.values.add(members.Key()) != nil {
			return errTwice
		}
		if d.Next() == jsonread.Null {
			err = d.Skip()
			continue
		}
		err = value()
	}
	if err != nil || members.Err() != nil {
		return errLine
	}
	*field = d.Since(begin)
	return nil
}

// labels returns an object of texts that was read before. It takes a fifth of the time of encoding/json, and most lines have labels.
func (i interned) labels(object []byte) map[string]string {
	var d jsonread.Decoder
	d.Reset(object)
	all := map[string]string{}
	var err error
	members := d.Object()
	for err == nil && members.Next() {
		name, value := i.text(members.Key()), []byte(nil)
		if d.Next() == jsonread.Null {
			err = d.Skip()
		} else {
			value, err = d.StrBytes()
		}
		all[name] = i.text(value)
	}
	return all
}

func (e *entry) readUsage(d *jsonread.Decoder) error {
	if e.counts == nil || d.Next() != jsonread.Object {
		return readObject(d, &e.usage)
	}
	begin := d.Mark()
	if e.usageErr = e.counts.Read(d); e.usageErr != nil {
		d.Return(begin)
		return readObject(d, &e.usage)
	}
	e.usage = d.Since(begin)
	return nil
}

func (e *entry) readTime(d *jsonread.Decoder) error {
	text, err := d.StrBytes()
	if err != nil {
		return errTime
	}
	e.time, err = parseTime(text)
	return err
}

// parseTime returns a time of the years 1 to 9999, which days and JSON can have.
func parseTime(text []byte) (at time.Time, err error) {
	err = at.UnmarshalText(text)
	at = at.UTC()
	if year := at.Year(); err != nil || year < 1 || year > 9999 {
		return at, errTime
	}
	return at, nil
}

func (e *entry) readDuration(d *jsonread.Decoder) (err error) {
	const longest = 1e12 // 30 years, which fit into a time.Duration
	e.duration, err = d.Float64()
	if err != nil || math.Abs(e.duration) > longest { // negative if a clock was set during the call
		return errLine
	}
	return nil
}

func readAmount(d *jsonread.Decoder, field *[]byte, wrong error) error {
	text, err := d.StrBytes()
	if err != nil || len(text) == 0 {
		return wrong
	}
	*field = text
	return nil
}
