package pages

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"
)

// Chart is a bar chart of amounts by day. Its texts are outside the picture, which is stretched.
type Chart struct {
	Title, Summary   string
	Top, First, Last string
	Width            int
	Bars             []Bar
	Key              []Key
}

// Bar is a bar in a picture that is 100 high.
type Bar struct {
	X, Y, W, H float64
	Class      string
	Text       string
}

// Key explains a color.
type Key struct{ Class, Text string }

// The sizes of a chart: fewer bars would be too wide, and more too narrow.
const (
	minBars = 14
	maxBars = 120
)

// newChart returns a chart of the amounts of days such as "2026-11-21", or nil without any. Days that have none are empty; a long
// time is shown by month. series has one or two amounts of each day.
func newChart(days []string, amounts map[string][]*big.Rat, key []Key) *Chart {
	if len(days) == 0 {
		return nil
	}
	title, all := "Cost by day", eachDay(days)
	if len(all) > maxBars {
		title = "Cost by month"
		all, amounts = byMonth(all, amounts)
	}
	top, highest := new(big.Rat), all[0]
	for _, day := range all {
		for _, usd := range amounts[day] {
			if usd.Cmp(top) > 0 {
				top, highest = usd, day
			}
		}
	}
	c := &Chart{Title: title, Top: money(top), First: all[0], Last: all[len(all)-1], Width: max(len(all), minBars)}
	c.Summary = fmt.Sprintf("%s in USD, from %s to %s. ", title, c.First, c.Last)
	if top.Sign() > 0 {
		c.Summary += fmt.Sprintf("The highest is %s USD, %s.", c.Top, highest)
	} else {
		c.Summary += "No amount is more than 0."
	}
	if len(all) < minBars { // the bars end before the right edge
		c.First, c.Last = strings.Join(slices.Compact([]string{c.First, c.Last}), " to "), ""
	}
	if len(key) > 1 {
		c.Key = key
	}
	for i, day := range all {
		c.addBars(float64(i), day, amounts[day], top, key)
	}
	return c
}

// addBars adds the bars of a day, side by side.
func (c *Chart) addBars(x float64, day string, amounts []*big.Rat, top *big.Rat, key []Key) {
	const gap, least = 0.12, 0.8 // an amount that is not 0 can be seen
	width := (1 - 2*gap) / float64(len(key))
	for i, usd := range amounts {
		if usd.Sign() <= 0 {
			continue
		}
		height, _ := new(big.Rat).Quo(usd, top).Float64()
		height = max(100*height, least)
		c.Bars = append(c.Bars, Bar{
			X: x + gap + float64(i)*width, Y: 100 - height, W: width, H: height, Class: key[i].Class, Text: fmt.Sprintf("%s %s: %s USD", day, key[i].Text, money(usd)),
		})
	}
}

// eachDay returns the days from the first to the last, or only those of days if these are far apart: a wrong clock may have written
// one of them.
func eachDay(days []string) []string {
	from, err := time.Parse(time.DateOnly, days[0])
	to, err2 := time.Parse(time.DateOnly, days[len(days)-1])
	if err != nil || err2 != nil || to.Sub(from) > 100*365*24*time.Hour {
		return days
	}
	var all []string
	for ; !from.After(to); from = from.AddDate(0, 0, 1) {
		all = append(all, from.Format(time.DateOnly))
	}
	return all
}

// byMonth adds up the amounts by month.
func byMonth(days []string, amounts map[string][]*big.Rat) (months []string, sums map[string][]*big.Rat) {
	sums = make(map[string][]*big.Rat)
	for _, day := range days {
		month := day[:min(len(day), len("2026-11"))]
		if len(months) == 0 || months[len(months)-1] != month {
			months = append(months, month)
		}
		for i, usd := range amounts[day] {
			if i == len(sums[month]) {
				sums[month] = append(sums[month], new(big.Rat))
			}
			sums[month][i].Add(sums[month][i], usd)
		}
	}
	return months, sums
}
