package jsonread

import (
	"errors"
	"strconv"
	"strings"
)

var errRange = errors.New("the number is out of range")

// Int reads a whole number that fits into an int.
func (d *Decoder) Int() (int, error) {
	n, err := d.Int64()
	if int64(int(n)) != n {
		return 0, errRange
	}
	return int(n), err
}

// Int64 reads a whole number. A fraction, an exponent or a number out of range is an error.
func (d *Decoder) Int64() (int64, error) {
	text, err := d.Number()
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil { // it quotes the number
		return 0, errRange
	}
	return n, nil
}

// Float64 reads a number.
func (d *Decoder) Float64() (float64, error) {
	text, err := d.Number()
	if err != nil {
		return 0, err
	}
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return 0, errRange
	}
	return f, nil
}

// Number reads a number and returns its text.
func (d *Decoder) Number() ([]byte, error) {
	first, begin := d.peek(), d.at
	if first > '0' && d.digits() && d.at < len(d.text) && endsNumber(d.text[d.at]) { // as nearly all are
		return d.text[begin:d.at], nil
	}
	d.at = begin
	d.one("-")
	ok := d.one("0") || d.digits()
	if ok && d.one(".") {
		ok = d.digits()
	}
	if ok && d.one("eE") {
		d.one("+-")
		ok = d.digits()
	}
	if !ok || d.at < len(d.text) && !endsNumber(d.text[d.at]) {
		return nil, d.unexpected()
	}
	return d.text[begin:d.at], nil
}

// one reads one of the characters, if it is next.
func (d *Decoder) one(of string) bool {
	found := d.at < len(d.text) && strings.IndexByte(of, d.text[d.at]) >= 0
	if found {
		d.at++
	}
	return found
}

// digits reads one digit or more.
func (d *Decoder) digits() bool {
	begin := d.at
	for d.at < len(d.text) && '0' <= d.text[d.at] && d.text[d.at] <= '9' {
		d.at++
	}
	return d.at > begin
}

func endsNumber(c byte) bool { return c == ',' || c == '}' || c == ']' || space(c) }
