package discovery_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
)

func TestReportTable(t *testing.T) {
	t.Parallel()
	s := costs(map[string]string{"": costPage(false, "null", costDay(0, result("1234.5", "")), costDay(1, result("-0.25", "")), costDay(2, result("-1E-9", "")))})
	var text strings.Builder
	require.NoError(t, reconcileOpenAI(t, s, ptr(1200.0)).Table(&text))
	assert.Equal(t, ""+
		"      openai          USD\n"+
		"  2024-11-01  1234.500000\n"+
		"  2024-11-02    -0.250000\n"+
		"  2024-11-03     0.000000\n"+
		"      billed  1234.250000\n"+
		"  attributed  1200.000000\n"+
		"       drift   +34.250000\n"+
		"     drift %        +2.85\n"+
		"missing in the response: 2024-11-04, 2024-11-05, 2024-11-06, 2024-11-07\n", text.String())

	text.Reset()
	q := usageQuery()
	q.TimeUnit, q.EndTime = discovery.TimeUnitHour, "2126-05-09 00:00:00"
	x, err := usageOf(series("Chat", point("2026-05-08T00:00:00Z", "1"), point("2026-05-08T13:00:00Z", "2"))).inProcess().ReconcileXAICost(t.Context(), q, nil)
	require.NoError(t, err)
	require.NoError(t, x.Table(&text))
	assert.Equal(t, ""+
		"                  xai       USD\n"+
		"           2026-05-08  1.000000\n"+
		"  2026-05-08 13:00:00  2.000000\n"+
		"               billed  3.000000\n"+
		"           attributed         -\n"+
		"                drift         -\n"+
		"              drift %         -\n"+
		"not settled: the window reaches into today or beyond, so what is billed can still grow\n", text.String())

	text.Reset()
	failed := newFakeServer(map[string]http.HandlerFunc{"openai": respondStatus(500, "")})
	require.NoError(t, reconcileOpenAI(t, failed, ptr(5.0)).Table(&text))
	assert.Contains(t, text.String(), "billed         -")
	assert.Contains(t, text.String(), "not complete: the bill could not be read")
	assert.NotContains(t, text.String(), "0.000000 ", "no figures")
}

func TestReportReturnsTheErrorOfTheWriter(t *testing.T) {
	t.Parallel()
	r := reconcileOpenAI(t, twoDays(), nil)
	full := errors.New("the disk is full")
	require.ErrorIs(t, r.Table(failingWriter{full}), full)
	require.ErrorIs(t, r.SVG(failingWriter{full}), full)
}

// rectangles reads a picture and returns the titles of its bars, and all of its text.
func rectangles(t *testing.T, picture []byte) (titles []string, all string) {
	t.Helper()
	dec, inTitle := xml.NewDecoder(bytes.NewReader(picture)), false
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return titles, all
		}
		require.NoError(t, err)
		switch token := token.(type) {
		case xml.StartElement:
			inTitle = token.Name.Local == "title"
			for _, a := range token.Attr {
				assert.NotContains(t, a.Value, "NaN")
				assert.NotContains(t, a.Value, "Inf")
				if a.Name.Local == "height" || a.Name.Local == "width" {
					assert.False(t, strings.HasPrefix(a.Value, "-"), "%v", token)
				}
			}
		case xml.CharData:
			if inTitle {
				titles = append(titles, string(token))
			}
			all += string(token) + "\n"
		case xml.EndElement:
			inTitle = false
		}
	}
}

func TestReportSVG(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	s := costs(map[string]string{"": costPage(false, "null", costDay(0, result("3", "")), costDay(1, result("-1", "")), costDay(2))})
	require.NoError(t, reconcileOpenAI(t, s, ptr(1.5)).SVG(&out))
	bars, text := rectangles(t, out.Bytes())
	assert.Equal(t, []string{"2024-11-01: 3.000000", "2024-11-02: -1.000000", "2024-11-03: 0.000000", "billed: 2.000000", "attributed: 1.500000"}, bars)
	assert.Contains(t, text, "drift: +0.500000, in percent: +33.33")
	assert.Contains(t, text, "What openai billed")

	out.Reset()
	failed := newFakeServer(map[string]http.HandlerFunc{"openai": respondStatus(500, "")})
	require.NoError(t, reconcileOpenAI(t, failed, ptr(1.5)).SVG(&out))
	bars, text = rectangles(t, out.Bytes())
	assert.Equal(t, []string{"billed: -", "attributed: 1.500000"}, bars)
	assert.Contains(t, text, "not complete")

	out.Reset()
	require.NoError(t, reconcileOpenAI(t, costs(map[string]string{"": costPage(false, "null")}), nil).SVG(&out))
	bars, _ = rectangles(t, out.Bytes())
	assert.Equal(t, []string{"billed: 0.000000", "attributed: -"}, bars)

	out.Reset()
	odd := discovery.ReconciliationReport[discovery.TeamCostBucket]{
		Provider: `<script>&"`, Complete: true, Buckets: []discovery.TeamCostBucket{{StartTime: `"><b>&` + "\x00\x1b\xff", TotalUSD: 1}},
	}
	require.NoError(t, odd.SVG(&out))
	bars, text = rectangles(t, out.Bytes())
	assert.Equal(t, `"><b>&���: 1.000000`, bars[0])
	assert.Contains(t, text, `<script>&"`)
}

// Notes are below the picture, each on a line of its own.
func TestReportSVGHasRoomForItsNotes(t *testing.T) {
	t.Parallel()
	report := billedDays(1, 2)
	report.Settled, report.MissingDays = false, []string{"2026-05-02"}
	var out bytes.Buffer
	require.NoError(t, report.WithLedger(counted(map[int]string{1: ""})).SVG(&out))
	var picture struct {
		Height float64 `xml:"height,attr"`
		Texts  []struct {
			Y       float64 `xml:"y,attr"`
			Content string  `xml:",chardata"`
		} `xml:"text"`
	}
	require.NoError(t, xml.Unmarshal(out.Bytes(), &picture))
	last := picture.Texts[len(picture.Texts)-4:]
	for i, begin := range []string{"drift:", "missing in the response", "unpriced", "not settled"} {
		assert.True(t, strings.HasPrefix(last[i].Content, begin), last[i].Content)
		if i > 0 {
			assert.GreaterOrEqual(t, last[i].Y-last[i-1].Y, 14.0, begin)
		}
	}
	assert.Less(t, last[3].Y, picture.Height)
	for _, text := range picture.Texts[:len(picture.Texts)-4] {
		assert.Less(t, text.Y, last[0].Y)
	}
}

// With many buckets, bars are merged and none is left out.
func TestReportSVGOfManyBuckets(t *testing.T) {
	t.Parallel()
	for _, n := range []int{180, 181, 1000} {
		r := discovery.ReconciliationReport[discovery.CostBucket]{Provider: "openai", Complete: true}
		for i := range n {
			r.Buckets = append(r.Buckets, discovery.CostBucket{StartTime: day1 + int64(i)*day, TotalUSD: 1})
		}
		var out bytes.Buffer
		require.NoError(t, r.SVG(&out))
		bars, _ := rectangles(t, out.Bytes())
		assert.LessOrEqual(t, len(bars), 182)
		drawn := 0
		for _, bar := range bars[:len(bars)-2] {
			_, usd, _ := strings.Cut(bar, ": ")
			drawn += int(usd[0] - '0')
		}
		assert.Equal(t, n, drawn)
	}
}
