package calls

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

// orLine hides an error that would quote the line.
func orLine(err error) error {
	if err != nil {
		return errLine
	}
	return nil
}

func (in *decoder) skip() error { return orLine(in.Skip()) }

func (in *decoder) time(at *time.Time) error {
	text, err := in.StrBytes()
	if err != nil {
		return errTime
	}
	*at, err = parseTime(text)
	return err
}

// parseTime accepts the years 1 to 9999, for days and JSON.
func parseTime(text []byte) (at time.Time, err error) {
	err = at.UnmarshalText(text)
	at = at.UTC()
	if year := at.Year(); err != nil || year < 1 || year > 9999 {
		return at, errTime
	}
	return at, nil
}

func (in *decoder) duration(to *time.Duration) error {
	const longest = 1e12 // milliseconds: 30 years, which fit into a time.Duration
	ms, err := in.Float64()
	if err != nil || math.Abs(ms) > longest { // negative if a clock was set during the call
		return errLine
	}
	*to = time.Duration(math.Round(ms*1000)) * time.Microsecond
	return nil
}

func (in *decoder) amount(to *prices.USD, wrong error) error {
	text, err := in.StrBytes()
	if err != nil || len(text) == 0 {
		return wrong
	}
	*to = prices.USD(in.own(text))
	return nil
}

func (in *decoder) usage(r *Record) error {
	if in.Next() != jsonread.Object {
		return errLine
	}
	begin := in.Mark()
	if in.counts != nil {
		in.usageErr = in.counts.Read(&in.Decoder)
	}
	if in.counts == nil || in.usageErr != nil {
		in.Return(begin)
		if in.Skip() != nil {
			return errLine
		}
	}
	if r.Usage = in.Since(begin); !in.borrows {
		r.Usage = slices.Clone(r.Usage)
	}
	return nil
}

func (in *decoder) readRequests(r *Record) error {
	r.ToolUses = map[string]int64{}
	_, err := in.object(func(key []byte) error {
		n, err := in.orNull(in.Int64)
		r.ToolUses[jsonread.Text(key)] = n
		return err
	})
	return err
}

// readLabels gives lines with the same labels the same map, and parses equal text once.
func (in *decoder) readLabels(r *Record) (err error) {
	rest := in.Rest()
	known := rest[:bytes.IndexByte(rest, '}')+1] // if there is another brace in it, no such text is in the map
	if labels, seen := in.labels[string(known)]; seen {
		in.Discard(len(known))
		r.Labels = labels
		return nil
	}
	var text []byte
	if text, err = in.pickLabels(); err == nil {
		r.Labels = in.labels.of(text, in.pickedOf)
	}
	return err
}

// pickLabels reads labels and returns their JSON. It sets picked to the values in only.
func (in *decoder) pickLabels() ([]byte, error) {
	in.picked = in.picked[:0]
	return in.object(func(key []byte) error {
		if in.Next() == jsonread.Null {
			return in.Skip()
		}
		value, err := in.StrBytes()
		if i := slices.Index(in.only, string(key)); i >= 0 {
			in.picked = append(strconv.AppendInt(in.picked, int64(i), 10), ':')
			in.picked = append(strconv.AppendInt(in.picked, int64(len(value)), 10), ':')
			in.picked = append(append(in.picked, value...), 0)
		}
		return err
	})
}

// pickedOf returns the labels in only, after pickLabels. nil means all.
func (in *decoder) pickedOf(text []byte) map[string]string {
	switch {
	case in.only == nil:
		return in.labelsOf(text)
	case len(in.picked) == 0:
		return nil
	}
	return in.picks.of(in.picked, func([]byte) map[string]string {
		all := in.labelsOf(text)
		picked := make(map[string]string, len(in.only))
		for _, name := range in.only {
			picked[name] = all[name]
		}
		return picked
	})
}

func (in *decoder) orNull(number func() (int64, error)) (int64, error) {
	if in.Next() == jsonread.Null {
		return 0, in.Skip()
	}
	return number()
}

// object calls value for each member, and returns the object's JSON.
func (in *decoder) object(value func(key []byte) error) ([]byte, error) {
	if in.Next() != jsonread.Object {
		return nil, errLine
	}
	begin := in.Mark()
	var err error
	members := in.Object()
	for in.values.reset(); err == nil && members.Next(); {
		if in.values.add(members.Key()) != nil {
			return nil, errTwice
		}
		err = value(members.Key())
	}
	return in.Since(begin), orLine(errors.Join(err, members.Err()))
}

// labelsOf replaces encoding/json, which takes five times as long. Most lines have
// labels.
func (in *decoder) labelsOf(object []byte) map[string]string {
	var d jsonread.Decoder
	d.Reset(object)
	all := map[string]string{}
	var err error
	members := d.Object()
	for err == nil && members.Next() {
		name, value := in.texts.text(members.Key()), []byte(nil)
		if d.Next() == jsonread.Null {
			err = d.Skip()
		} else {
			value, err = d.StrBytes()
		}
		all[name] = in.texts.text(value)
	}
	return all
}
