// Page measures report pages in headless Chromium: nothing is printed to the
// console or requested, texts and shapes have contrast, nothing is wider than the window,
// the accessibility tree has landmarks, names and headings in order, and few sheets are
// printed. It keeps pictures for a person to look at.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/report"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/report/page"
)

// Limits for a page with 90 days and 40 models.
const (
	maxSheets = 4
	maxBytes  = 150_000
	// maxTime is for all measurements, on a slow machine.
	maxTime = 10 * time.Minute
)

// views are the windows: a phone, a tablet and a screen, light and dark.
var views = []view{{390, false}, {768, false}, {1440, false}, {390, true}, {1440, true}}

func main() {
	program := flag.String("chromium", "chromium", "the browser")
	folder := flag.String("out", "", "the directory for pages and pictures")
	flag.Parse()
	if err := run(*program, *folder); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(program, folder string) error {
	ctx, cancel := context.WithTimeout(context.Background(), maxTime)
	defer cancel()
	folder, err := filepath.Abs(folder)
	if err != nil {
		return err
	}
	profile, err := os.MkdirTemp("", "chromium-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(profile) }()
	b, err := start(ctx, program, profile)
	if err != nil {
		return fmt.Errorf("chromium does not start: %w", err)
	}
	defer b.close()
	reports, err := samples()
	if err != nil {
		return err
	}
	var problems []string
	for _, name := range slices.Sorted(maps.Keys(reports)) {
		more, err := b.page(folder, name, reports[name])
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		problems = append(problems, more...)
	}
	more, err := b.broken(folder)
	if problems = append(problems, more...); err == nil && len(problems) > 0 {
		err = errors.New(strings.Join(problems, "\n"))
	}
	return err
}

// page measures a report in all windows.
func (b *browser) page(folder, name string, r *report.Report) (problems []string, err error) {
	var text bytes.Buffer
	if err := page.Write(&text, r); err != nil {
		return nil, err
	}
	file := filepath.Join(folder, name+".html")
	if err := os.WriteFile(file, text.Bytes(), 0o600); err != nil {
		return nil, err
	}
	say := func(format string, values ...any) {
		problems = append(problems, name+": "+fmt.Sprintf(format, values...))
	}
	if text.Len() > maxBytes {
		say("the page has %d bytes", text.Len())
	}
	var heights []string
	for _, v := range views {
		title := fmt.Sprintf("%s-%d", name, v.width)
		if v.dark {
			title += "-dark"
		}
		m, err := b.measure(file, v, filepath.Join(folder, title+".png"))
		if err != nil {
			return nil, err
		}
		for _, problem := range m.Problems {
			say("%d pixels, dark %v: %s", v.width, v.dark, problem)
		}
		if m.Texts == 0 {
			say("there is no text")
		}
		heights = append(heights, fmt.Sprintf("%d×%d", v.width, m.Height))
	}
	aloud, err := b.readAloud()
	if err != nil {
		return nil, err
	}
	for _, problem := range aloud {
		say("%s", problem)
	}
	sheets, err := b.sheets(filepath.Join(folder, name+".pdf"))
	if sheets < 1 || (sheets > maxSheets && name != "hostile") { // whose names fill lines
		say("%d printed sheets", sheets)
	}
	fmt.Printf("%-8s %7d bytes, %d sheets, %s\n", name, text.Len(), sheets, strings.Join(heights, " ")) //nolint:forbidigo // a program
	return problems, err
}

// broken measures a page with planted mistakes.
func (b *browser) broken(folder string) (problems []string, err error) {
	var empty bytes.Buffer
	if err := page.Write(&empty, &report.Report{}); err != nil {
		return nil, err
	}
	file := filepath.Join(folder, "broken.html")
	for mistake, want := range map[string]string{
		`<img src="https://example.com/x">`:                                              "the console has",
		`<p>` + strings.Repeat("x", 2000) + `</p><style>p{overflow-wrap:normal}</style>`: "pixels wide",
		`<p style="color:#aaa">pale</p>`:                                                 "contrast of 2",
		`<svg><rect width="9" height="9" fill="#ddd"/></svg>`:                            "a shape with a contrast of 1",
		`<p style="font-size:8px">small</p>`:                                             "smaller than 11 pixels",
		`<main></main><h6>deep</h6><svg role="img"><rect width="9" height="9"/></svg>`:   "landmarks main",
	} {
		// Without the policy styles apply; the picture alone is for the policy.
		text := strings.Replace(empty.String(), "</main>", mistake+"</main>", 1)
		if !strings.Contains(mistake, "<img") {
			text = strings.Replace(text, "Content-Security-Policy", "none", 1)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			return nil, err
		}
		m, err := b.measure(file, view{width: 390}, "")
		if err != nil {
			return nil, err
		}
		aloud, err := b.readAloud()
		if err != nil {
			return nil, err
		}
		if found := strings.Join(append(m.Problems, aloud...), "\n"); !strings.Contains(found, want) {
			problems = append(problems, fmt.Sprintf("a page with %.60s must fail with %q, and has: %s", mistake, want, found))
		}
	}
	return problems, os.Remove(file)
}
