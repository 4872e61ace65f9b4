package report

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// The layout of the picture, in pixels: bars over time above, the two sums and the drift below, then a line for each note.
const (
	svgWidth, svgHeight      = 720, 400 // without notes
	svgLeft, svgRight        = 70, 700
	svgTop, svgBottom        = 60, 270
	svgSums                  = 310 // top of the first of the two sums
	svgNote                  = 16  // height of a note
	svgMaxBars               = 180
	svgBilled, svgAttributed = "#2f6db5", "#e08a1e"
)

// SVG draws a bar for each row, two where the row has a counted amount, and below that the sums. More than svgMaxBars rows are
// drawn as at most that many bars, each the sum of its neighbours. The error is that of w.
func (r *Report) SVG(w io.Writer) error {
	p, height := new(picture), svgHeight+svgNote*len(r.Notes)
	p.printf(`<svg xmlns="http://www.w3.org/2000/svg" width="%[1]d" height="%[2]d" viewBox="0 0 %[1]d %[2]d" font-family="sans-serif" font-size="12">`, svgWidth, height)
	p.printf(`<rect width="%d" height="%d" fill="white"/>`, svgWidth, height)
	p.text(svgLeft, 24, "start", 16, "What "+r.Name+" billed, in US dollars")
	if r.Billed != nil {
		p.bars(barRows(r.Rows))
	}
	p.sums(r.Billed, r.Attributed, "drift: "+formatSigned(r.Drift, 6)+", in percent: "+formatSigned(r.DriftPct, 2))
	for i, note := range r.Notes {
		p.text(svgLeft+14, float64(svgHeight+svgNote*i+4), "start", 11, note)
	}
	p.printf("</svg>\n")
	_, err := w.Write(p.Bytes())
	return err
}

// barRows returns the rows to draw, at most svgMaxBars.
func barRows(rows []Row) []Row {
	perBar := max(1, (len(rows)+svgMaxBars-1)/svgMaxBars)
	var bars []Row
	for i, row := range rows {
		if i%perBar == 0 {
			if row.Counted != nil {
				counted := *row.Counted // the sum must not reach the row
				row.Counted = &counted
			}
			bars = append(bars, row)
			continue
		}
		last := &bars[len(bars)-1]
		last.USD += row.USD
		last.Unpriced += row.Unpriced
		if last.Counted != nil && row.Counted != nil {
			*last.Counted += *row.Counted
		}
	}
	return bars
}

// picture is an SVG document under construction.
type picture struct{ bytes.Buffer }

func (p *picture) printf(format string, values ...any) { _, _ = fmt.Fprintf(p, format, values...) }

func (p *picture) text(x, y float64, anchor string, size int, text string) {
	p.printf(`<text x="%.2f" y="%.2f" text-anchor="%s" font-size="%d" fill="#333">%s</text>`, x, y, anchor, size, escaped(text))
}

func (p *picture) bar(x, y, width, height float64, fill, title string) {
	p.printf(`<rect x="%.2f" y="%.2f" width="%.2f" height="%.2f" fill="%s"><title>%s</title></rect>`, x, y, width, height, fill, escaped(title))
}

// escaped returns text as character data of XML, in which some control characters must not be.
func escaped(text string) string {
	var out strings.Builder
	_ = xml.EscapeText(&out, []byte(text)) // into memory
	return out.String()
}

func (p *picture) line(x1, y1, x2, y2 float64) {
	p.printf(`<line x1="%.2f" y1="%.2f" x2="%.2f" y2="%.2f" stroke="#999"/>`, x1, y1, x2, y2)
}

// bars draws the rows side by side, on an axis from the lowest to the highest.
func (p *picture) bars(rows []Row) {
	y := p.axis(rows)
	step := float64(svgRight-svgLeft) / float64(max(1, len(rows)))
	for i, row := range rows {
		top, bottom := y(max(0, row.USD)), y(min(0, row.USD))
		left, width := svgLeft+float64(i)*step+step*0.1, step*0.8
		if row.Counted != nil { // two bars in the place of one
			width /= 2
			height := y(0) - y(*row.Counted)
			p.bar(left+width, y(*row.Counted), width, height, svgAttributed, row.Label+", counted: "+row.countedText())
		}
		p.bar(left, top, width, bottom-top, svgBilled, row.Label+": "+formatUSD(&row.USD))
	}
	if len(rows) > 0 {
		p.text(svgLeft, svgBottom+18, "start", 11, rows[0].Label)
	}
	if len(rows) > 1 {
		p.text(svgRight, svgBottom+18, "end", 11, rows[len(rows)-1].Label)
	}
}

// axis draws the lines of 0, the highest and the lowest amount, and returns the function from an amount to its place.
func (p *picture) axis(rows []Row) (y func(usd float64) float64) {
	low, high := 0.0, 0.0
	for _, row := range rows {
		low, high = min(low, row.USD), max(high, row.USD, valueOrZero(row.Counted))
	}
	span := high - low
	if span == 0 {
		span = 1
	}
	y = func(usd float64) float64 { return svgTop + (high-usd)/span*(svgBottom-svgTop) }
	for i, usd := range []float64{0, high, low} {
		if i == 0 || math.Abs(y(usd)-y(0)) > 14 { // closer labels would overlap
			p.line(svgLeft, y(usd), svgRight, y(usd))
			p.text(svgLeft-6, y(usd)+4, "end", 11, strconv.FormatFloat(usd, 'g', 4, 64))
		}
	}
	return y
}

// sums draws the billed and the attributed amount on one scale, with the drift below.
func (p *picture) sums(billed, attributed *float64, drift string) {
	const room = svgRight - 250
	scale := max(valueOrZero(billed), valueOrZero(attributed))
	for i, sum := range []struct {
		name, fill string
		usd        *float64
	}{{"billed", svgBilled, billed}, {"attributed", svgAttributed, attributed}} {
		y, width := float64(svgSums+28*i), 0.0
		if scale > 0 {
			width = max(0, valueOrZero(sum.usd)) / scale * room
		}
		p.text(svgLeft+6, y+14, "end", 12, sum.name)
		p.bar(svgLeft+14, y, width, 20, sum.fill, sum.name+": "+formatUSD(sum.usd))
		p.text(svgLeft+20+width, y+14, "start", 12, formatUSD(sum.usd))
	}
	p.text(svgLeft+14, svgSums+72, "start", 12, drift)
}

func valueOrZero(f *float64) float64 {
	if f == nil {
		return 0
	}
	return *f
}
