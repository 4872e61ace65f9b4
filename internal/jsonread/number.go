package jsonread

import "math"

// Int reads a whole number that fits into an int.
func (d *Decoder) Int() (int, error) {
	n, err := d.Int64()
	if n < math.MinInt || n > math.MaxInt {
		return 0, errSyntax
	}
	return int(n), err
}

// Int64 reads a whole number.
func (d *Decoder) Int64() (int64, error) {
	begin := d.at
	if n, places, ok := d.plainNumber(); ok && places == 0 {
		return n, nil
	}
	d.at = begin // a number with a point was read
	value, err := d.jx()
	if err != nil {
		return 0, err
	}
	return value.Int64()
}

// powers are the powers of 10 by which a plain number is divided. Each is exact as a float64.
var powers = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17}

// Float64 reads a number.
func (d *Decoder) Float64() (float64, error) {
	const exact = 1 << 53
	begin := d.at
	if n, places, ok := d.plainNumber(); ok && n <= exact {
		return float64(n) / powers[places], nil // the quotient of two exact numbers is rounded once
	}
	d.at = begin // a number with more digits than a float64 was read
	value, err := d.jx()
	if err != nil {
		return 0, err
	}
	return value.Float64()
}

// plainNumber reads a number of at most 18 characters, without a sign and an exponent, which is not the end of the text. It returns
// the digits and how many of them are after the point. Of other numbers it reads nothing.
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

func endsNumber(c byte) bool { return c == ',' || c == '}' || c == ']' || space(c) }
