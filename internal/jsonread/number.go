package jsonread

import (
	"cmp"
	"errors"
	"strconv"
	"strings"
)

var errRange = errors.New("the number is out of range")

// Int reads an integer that fits into an int.
func (d *Decoder) Int() (int, error) {
	n, err := d.Int64()
	if int64(int(n)) != n {
		return 0, errRange
	}
	return int(n), err
}

// Int64 reads an integer. A fraction, an exponent or an overflow is an error.
func (d *Decoder) Int64() (int64, error) {
	begin := d.at
	if n, places, ok := d.plainNumber(); ok && places == 0 {
		return n, nil
	}
	d.at = begin // plainNumber has read a number with a point
	text, err := d.Number()
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil { // err quotes the number
		return 0, errRange
	}
	return n, nil
}

// powers holds powers of 10, all exact as float64.
var powers = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17}

// Float64 reads a number.
func (d *Decoder) Float64() (float64, error) {
	const exact = 1 << 53
	begin := d.at
	if n, places, ok := d.plainNumber(); ok && n <= exact {
		return float64(n) / powers[places], nil // dividing two exact numbers rounds once
	}
	d.at = begin // plainNumber has read more digits than a float64 holds
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

// plainNumber is a fast path for up to 18 characters without sign or exponent, followed
// by another byte. It returns the digits as an integer and the number of places after the
// point. If the number differs, it reads nothing.
func (d *Decoder) plainNumber() (digits int64, places int, ok bool) {
	const longest = 18
	d.peek()
	point := -1
	rest := d.text[d.at:]
	for i, c := range rest[:min(longest+1, len(rest))] {
		switch {
		case '0' <= c && c <= '9':
			digits = digits*10 + int64(c-'0')
		case c == '.' && i > 0 && point < 0:
			point = i
		case i == 0 || i == point+1 || (rest[0] == '0' && i > 1 && point != 1) || !endsNumber(c):
			return 0, 0, false
		default:
			if point >= 0 {
				places = i - point - 1
			}
			d.at += i
			return digits, places, true
		}
	}
	return 0, 0, false
}

// Number reads a number and returns its digits.
func (d *Decoder) Number() ([]byte, error) {
	d.peek()
	begin := d.at
	if _, _, ok := d.plainNumber(); ok {
		return d.text[begin:d.at], nil
	}
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

// IsNumber reports whether text is exactly a number.
func IsNumber(text string) bool {
	var d Decoder
	d.Reset([]byte(text))
	raw, err := d.Number()
	return err == nil && len(raw) == len(text)
}

// Integer returns the number's value if it's an integer, including 5.0 and 1e3. It never
// rounds.
func Integer(number []byte) (n int64, ok bool) {
	n, err := strconv.ParseInt(string(number), 10, 64)
	if err != nil {
		n, err = strconv.ParseInt(whole(string(number)), 10, 64)
	}
	return n, err == nil
}

// whole rewrites an integer without a fraction or exponent. It returns "" if number isn't
// an integer or is too large.
func whole(number string) string {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(number), "e")
	digits, fraction, _ := strings.Cut(mantissa, ".")
	digits += fraction
	if strings.Trim(digits, "-0") == "" {
		return "0"
	}
	power, err := strconv.Atoi(cmp.Or(exponent, "0"))
	power -= len(fraction)
	for ; power < 0 && strings.HasSuffix(digits, "0"); power++ {
		digits = digits[:len(digits)-1]
	}
	if err != nil || power < 0 || power > len("9223372036854775807") {
		return ""
	}
	return digits + strings.Repeat("0", power)
}

// one reads one of the characters, if it comes next.
func (d *Decoder) one(of string) bool {
	found := d.at < len(d.text) && strings.IndexByte(of, d.text[d.at]) >= 0
	if found {
		d.at++
	}
	return found
}

func (d *Decoder) digits() bool {
	begin := d.at
	for d.at < len(d.text) && '0' <= d.text[d.at] && d.text[d.at] <= '9' {
		d.at++
	}
	return d.at > begin
}

func endsNumber(c byte) bool { return c == ',' || c == '}' || c == ']' || space(c) }
