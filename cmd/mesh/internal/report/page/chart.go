package page

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/report"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/table"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// maxBars is the number of bars of a chart. A longer time is shown by month.
const maxBars = 120

// bar is a day of the chart, or a month of a long time, whose Day is such as "2026-11".
type bar struct {
	report.Day
	// Unpriced reports whether the cost of none of the calls is known.
	Unpriced bool
	// Title is its name in a table, and short its name below the chart.
	Title, short string
	// Cost and Parts are the amounts of the day and of its models.
	Cost  amount
	Parts []amount
}

func newBar(d *report.Day, columns int) bar {
	b := bar{Day: *d, Unpriced: noCost(d.Sum), Title: shortDate(d.Day), short: dateAs(d.Day, time.DateOnly, "2 Jan")}
	b.Models = append(slices.Clone(d.Models), zeros(columns)...)[:columns]
	return b
}

// zeros returns amounts of nothing.
func zeros(n int) []prices.USD { return slices.Repeat([]prices.USD{"0"}, n) }

// total is the height of the bar.
func (b *bar) total() float64 { return max(0, number(b.USD)) }

// bars returns the days, with today, or the months of a long time.
func bars(days *report.Days) (all []bar, byMonth bool) {
	columns := len(days.Models) + 1
	for i := range days.Rows {
		all = append(all, newBar(&days.Rows[i], columns))
	}
	if days.Today != nil {
		today := newBar(days.Today, columns)
		today.Running, today.short = true, "today"
		all = append(all, today)
	}
	if len(all) <= maxBars {
		return all, false
	}
	return months(all), true
}

// months adds up days by month.
func months(days []bar) (all []bar) {
	for i := range days {
		d := &days[i]
		month := dateAs(d.Day.Day, time.DateOnly, "Jan 2006")
		if len(all) == 0 || all[len(all)-1].Title != month {
			all = append(all, bar{Day: report.Day{Sum: report.Sum{USD: "0"}, Models: zeros(len(d.Models))}, Unpriced: true, Title: month, short: month})
		}
		all[len(all)-1].add(d)
	}
	return all
}

func (b *bar) add(more *bar) {
	b.Calls += more.Calls
	b.USD = b.USD.Add(more.USD)
	for i := range b.Models {
		b.Models[i] = b.Models[i].Add(more.Models[i])
	}
	b.Running = b.Running || more.Running
	b.Unpriced = b.Unpriced && (more.Unpriced || more.Calls == 0)
}

// roundBars sets the amounts of the bars: days add up to their period, and models to their day.
func (p *page) roundBars() {
	total, costs := prices.USD("0"), []prices.USD{}
	for i := range p.Bars {
		costs = append(costs, p.Bars[i].USD)
		if p.ByMonth || !p.Bars[i].Running || p.Days.Today == nil {
			total = total.Add(p.Bars[i].USD)
		}
	}
	days := len(costs)
	if p.Days.Today != nil && !p.ByMonth { // today is no part of the period
		days--
		costs[days] = p.Bars[days].USD
	}
	shown := amounts(p.sheet, "", total, costs[:days]...)
	for i := range p.Bars {
		b := &p.Bars[i]
		if b.Cost = (amount{Exact: b.USD, Text: p.usd(b.USD)}); i < days {
			b.Cost = shown[i]
		}
		b.Parts = amounts(p.sheet, "", b.USD, b.Models...)
	}
}

// stack is the bars of all models: in thousandths of the highest one, and ten wide for each.
type stack struct {
	// Full are the bars by model, and Pale the bars of a day that is not over.
	Full, Pale []shape
	// Before are the amounts of the period before.
	Before string
}

// shape is a path in the color of a model.
type shape struct {
	Color int
	Path  string
}

// gray is the color of the others.
const gray = 6

// The units of a stack.
const (
	stackHeight = 1000
	slotWidth   = 10
	barWidth    = 8
	// segmentGap is the space between two models.
	segmentGap = 3
)

// top is the largest amount of the bars, or 0.
func top(all []bar) (most float64) {
	for i := range all {
		most = max(most, all[i].total(), number(all[i].PreviousUSD))
	}
	return most
}

// perUnit returns the height of a dollar, if the largest amount has this height.
func perUnit(height, most float64) float64 {
	if most == 0 {
		return 0
	}
	return height / most
}

// Stack is the bars of both charts.
func (p *page) Stack() stack {
	all := p.Bars
	columns := len(all[0].Models)
	full, pale := make([]strings.Builder, columns), make([]strings.Builder, columns)
	var before strings.Builder
	step := "M" // the line begins here
	scale := perUnit(stackHeight, top(all))
	for i := range all {
		b, paths := &all[i], full
		if b.Running {
			paths = pale
		}
		b.draw(i, scale, paths)
		if b.PreviousUSD != "" {
			y := stackHeight - number(b.PreviousUSD)*scale
			if step == "M" {
				fmt.Fprintf(&before, "M%d %.0f", i*slotWidth, y)
			}
			fmt.Fprintf(&before, "V%.0fh%d", y, slotWidth)
			step = ""
		} else {
			step = "M"
		}
	}
	return stack{shapes(full), shapes(pale), before.String()}
}

// draw adds the models of a bar, the dearest at the bottom.
func (b *bar) draw(i int, scale float64, paths []strings.Builder) {
	y := float64(stackHeight)
	for j, usd := range b.Models {
		height := number(usd) * scale
		if height < 0.5 {
			continue
		}
		shown := height
		if height > 2*segmentGap {
			shown -= segmentGap
		}
		fmt.Fprintf(&paths[j], "M%d %.0fh%dV%.0fh-%[3]dz", i*slotWidth+1, y, barWidth, y-shown)
		y -= height
	}
}

func shapes(paths []strings.Builder) (all []shape) {
	for i := range paths {
		if paths[i].Len() > 0 {
			color := i
			if i == len(paths)-1 {
				color = gray // the others are gray, however few models there are
			}
			all = append(all, shape{color, paths[i].String()})
		}
	}
	return all
}

// hover is a bar of full height with a text.
type hover struct{ Path, Text string }

// Hovers are the texts of the bars.
func (p *page) Hovers() (all []hover) {
	for i := range p.Bars {
		b := &p.Bars[i]
		text := fmt.Sprintf("%s: %s, %s", b.Title, b.Cost.Text, table.Number(b.Calls, "call", "calls"))
		if b.Running {
			text += " until now"
		}
		all = append(all, hover{fmt.Sprintf("M%d 0h%dv%dh-%[2]dz", i*slotWidth, slotWidth, stackHeight), text})
	}
	return all
}

// chart is the axes of a picture, with the place of its bars.
type chart struct {
	Width, Height, Left, Right, Bottom int
	Class, Transform                   string
	Ticks                              []tick
	Names                              []mark
	Peak                               *mark
	slot                               float64
}

type tick struct{ Y, Base, Text string }

// mark is a text at a place.
type mark struct{ X, Y, Text, Anchor string }

// The margins of a chart, the largest width of a bar with its space, and the width of a letter.
const (
	chartTop    = 30
	chartBottom = 40
	maxSlot     = 60
	textWidth   = 8
)

// newChart returns the picture of bars, of which names many have a text below.
func newChart(class string, width, height, left, names int, all []bar) *chart {
	c := &chart{Class: class, Width: width, Height: height, Left: left, Right: width - 4, Bottom: height - chartBottom}
	most, high := top(all), float64(c.Bottom-chartTop)
	scale, step := perUnit(high, most), tickStep(most)
	for i := 0; float64(i)*step <= most; i++ {
		value := float64(i) * step
		y, text := float64(c.Bottom)-value*scale, axisText(value, step)
		c.Ticks = append(c.Ticks, tick{coordinate(y), coordinate(y + 4), text})
		c.Left = max(c.Left, 12+textWidth*len(text)) // the widest text decides on the margin
	}
	c.slot = min(float64(c.Right-c.Left)/float64(max(len(all), 1)), maxSlot)
	c.Transform = fmt.Sprintf("translate(%d %d) scale(%.4f %.4f)", c.Left, chartTop, c.slot/slotWidth, high/stackHeight)
	c.name(all, names)
	c.markPeak(all, scale)
	return c
}

// edges returns the left and the right edge of a bar.
func (c *chart) edges(i int) (left, right float64) {
	x := float64(c.Left) + float64(i)*c.slot
	return x + c.slot/slotWidth, x + c.slot*(slotWidth-1)/slotWidth
}

// name adds texts below bars, at most so many, and one for today.
func (c *chart) name(all []bar, names int) {
	every := (len(all) + names - 1) / max(names, 1)
	for i := range all {
		left, right := c.edges(i)
		m := mark{X: coordinate((left + right) / 2), Y: strconv.Itoa(c.Bottom + 17), Text: all[i].short, Anchor: "middle"}
		switch {
		case all[i].short == "today": // below the other names, and not beyond the edge
			m.X, m.Y, m.Anchor = coordinate(right), strconv.Itoa(c.Bottom+33), "end"
		case i%every != 0 || (i > 0 && len(all)-i < every/2):
			continue
		}
		c.Names = append(c.Names, m)
	}
}

// markPeak names the highest bar if it is more than twice the median.
func (c *chart) markPeak(all []bar, scale float64) {
	if len(all) < 3 {
		return
	}
	var totals []float64
	for i := range all {
		totals = append(totals, all[i].total())
	}
	most := slices.Max(totals)
	highest := slices.Index(totals, most)
	slices.Sort(totals)
	if most <= 2*totals[len(totals)/2] {
		return
	}
	left, right := c.edges(highest)
	m := &mark{X: coordinate(right + 5), Y: coordinate(float64(c.Bottom) - most*scale + 8), Text: all[highest].short + ": " + all[highest].Cost.Text, Anchor: "start"}
	if highest > len(all)/2 {
		m.X, m.Anchor = coordinate(left-5), "end"
	}
	c.Peak = m
}

// tickStep returns a step of 1, 2 or 5 times a power of ten, so that an axis has three to six.
func tickStep(top float64) float64 {
	if top <= 0 {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(top/3)))
	for _, factor := range []float64{1, 2, 5} {
		if top/(factor*power) <= 5.5 {
			return factor * power
		}
	}
	return 10 * power
}

// axisText returns an amount in cents if the steps of the axis are below a dollar, with more digits for smaller steps.
func axisText(value, step float64) string {
	switch {
	case value == 0:
		return "$0"
	case step >= 1:
		return "$" + compact(value)
	}
	return "$" + strconv.FormatFloat(value, 'f', max(2, int(math.Ceil(-math.Log10(step)))), 64)
}

// coordinate returns a number with one decimal place.
func coordinate(value float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(value, 'f', 1, 64), ".0")
}
