package page

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/table"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// stack draws the bars as paths. The highest bar is stackHeight high, and each takes
// slotWidth.
type stack struct {
	// By is "model" or a label.
	By string
	// Full and Pale are by color. Pale has the days that aren't over.
	Full, Pale []shape
	// Before is a line for the previous period.
	Before string
	// Keys are in the same order as the bars, from the top.
	Keys []key
}

// shape is a path in one color.
type shape struct {
	Color int
	Path  string
}

// gray is for the others.
const gray = 6

// Path units, scaled by each chart.
const (
	stackHeight = 1000
	slotWidth   = 10
	barWidth    = 8
	// between two models
	segmentGap = 3
)

// top returns the largest amount in the chart, including the previous period, or 0.
func top(all []bar) (most float64) {
	for _, b := range all {
		most = max(most, b.total(), number(b.PreviousUSD))
	}
	return most
}

// perUnit returns the height for one dollar if most has the given height.
func perUnit(height, most float64) float64 {
	if most == 0 {
		return 0
	}
	return height / most
}

// Stacks returns the bars by model and, if there is one, by Days.Label.
func (p *page) Stacks() []stack {
	models := p.stack(func(b *bar) []prices.USD { return b.Models })
	models.By, models.Keys = "model", p.modelKeys()
	if p.Days.Label == "" {
		return []stack{models}
	}
	values := p.stack(func(b *bar) []prices.USD { return b.Values })
	values.By, values.Keys = p.Days.Label, p.valueKeys()
	return []stack{models, values}
}

func (p *page) stack(parts func(*bar) []prices.USD) stack {
	all := p.Bars
	columns := len(parts(&all[0]))
	full, pale := make([]strings.Builder, columns), make([]strings.Builder, columns)
	var before strings.Builder
	step := "M" // the line starts here
	scale := perUnit(stackHeight, top(all))
	for i, b := range all {
		paths := full
		if b.Running {
			paths = pale
		}
		draw(parts(&b), i, scale, paths)
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
	return stack{Full: shapes(full), Pale: shapes(pale), Before: before.String()}
}

// draw stacks parts with the first at the bottom.
func draw(parts []prices.USD, i int, scale float64, paths []strings.Builder) {
	y := float64(stackHeight)
	for j, usd := range parts {
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
				color = gray // the others stay gray if there are few
			}
			all = append(all, shape{color, paths[i].String()})
		}
	}
	return all
}

// hover is a full-height bar with a tooltip.
type hover struct{ Path, Text string }

// Hovers returns the tooltips.
func (p *page) Hovers() (all []hover) {
	for i, b := range p.Bars {
		text := fmt.Sprintf("%s: %s, %s", b.Title, b.Cost.Text, table.Number(b.Calls, "call", "calls"))
		if b.Running {
			text += " until now"
		}
		all = append(all, hover{fmt.Sprintf("M%d 0h%dv%dh-%[2]dz", i*slotWidth, slotWidth, stackHeight), text})
	}
	return all
}

// chart has the axes and the transform that puts a stack into them.
type chart struct {
	Width, Height, Left, Right, Bottom int
	Class, Transform                   string
	Ticks                              []tick
	Names                              []mark
	Peak                               *mark
	slot                               float64
}

type tick struct{ Y, Base, Text string }

type mark struct{ X, Y, Text, Anchor string }

// Margins, the maximum width for a bar with its gap, and a character's width, in chart
// units.
const (
	chartTop    = 30
	chartBottom = 40
	maxSlot     = 60
	textWidth   = 8
)

// newChart labels about as many bars as names says.
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

func (c *chart) edges(i int) (left, right float64) {
	x := float64(c.Left) + float64(i)*c.slot
	return x + c.slot/slotWidth, x + c.slot*(slotWidth-1)/slotWidth
}

// name labels about as many bars as names says, and today.
func (c *chart) name(all []bar, names int) {
	every := (len(all) + names - 1) / max(names, 1)
	for i, b := range all {
		left, right := c.edges(i)
		m := mark{X: coordinate((left + right) / 2), Y: strconv.Itoa(c.Bottom + 17), Text: b.short, Anchor: "middle"}
		switch {
		case b.short == "today": // below the other names, and not beyond the edge
			m.X, m.Y, m.Anchor = coordinate(right), strconv.Itoa(c.Bottom+33), "end"
		case i%every != 0 || (i > 0 && len(all)-i < every/2):
			continue
		}
		c.Names = append(c.Names, m)
	}
}

// markPeak labels the highest bar if it exceeds twice the median.
func (c *chart) markPeak(all []bar, scale float64) {
	if len(all) < 3 {
		return
	}
	var totals []float64
	for _, b := range all {
		totals = append(totals, b.total())
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

// tickStep returns 1, 2 or 5 times a power of ten, for up to five steps.
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

// axisText shows cents if steps are below a dollar, and more digits for smaller steps.
func axisText(value, step float64) string {
	switch {
	case value == 0:
		return "$0"
	case step >= 1:
		return "$" + compact(value)
	}
	return "$" + strconv.FormatFloat(value, 'f', max(2, int(math.Ceil(-math.Log10(step)))), 64)
}

// coordinate rounds to one decimal place.
func coordinate(value float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(value, 'f', 1, 64), ".0")
}
