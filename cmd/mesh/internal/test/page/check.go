package main

import (
	"bytes"
	_ "embed" // for the measurements
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
)

//go:embed measure.js
var measureJS string

// view is a window in which a page is measured.
type view struct {
	width int
	dark  bool
}

// measured is what measure.js returns.
type measured struct {
	Problems      []string
	Texts, Shapes int
	Height        int
}

// measure opens a page in a window, and measures it. With a file name it keeps a
// picture.
func (b *browser) measure(file string, v view, picture string) (m measured, err error) {
	scheme := "light"
	if v.dark {
		scheme = "dark"
	}
	if err := b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": v.width, "height": 900, "deviceScaleFactor": 1, "mobile": false}, nil); err != nil {
		return m, err
	}
	media := map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}}
	if err := b.call("Emulation.setEmulatedMedia", media, nil); err != nil {
		return m, err
	}
	problems, err := b.load(file)
	if err != nil {
		return m, err
	}
	var got struct {
		Result           struct{ Value string }
		ExceptionDetails json.RawMessage
	}
	if err := b.call("Runtime.evaluate", map[string]any{"expression": measureJS}, &got); err != nil {
		return m, err
	}
	if got.ExceptionDetails != nil {
		return m, fmt.Errorf("measure.js: %s", got.ExceptionDetails)
	}
	if err := json.Unmarshal([]byte(got.Result.Value), &m); err != nil {
		return m, err
	}
	m.Problems = append(problems, m.Problems...)
	if picture != "" {
		err = b.keep(picture)
	}
	return m, err
}

func (b *browser) keep(picture string) error {
	var shot struct{ Data string }
	if err := b.call("Page.captureScreenshot", map[string]any{"captureBeyondViewport": true}, &shot); err != nil {
		return err
	}
	return writeBase64(picture, shot.Data)
}

func writeBase64(file, text string) error {
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o600)
}

// sheets prints the page on A4, as its style sets it, and counts the sheets.
func (b *browser) sheets(pdf string) (int, error) {
	var printed struct{ Data string }
	if err := b.call("Page.printToPDF", map[string]any{"preferCSSPageSize": true, "printBackground": true}, &printed); err != nil {
		return 0, err
	}
	if err := writeBase64(pdf, printed.Data); err != nil {
		return 0, err
	}
	data, err := os.ReadFile(pdf) //nolint:gosec // it was just written
	return bytes.Count(data, []byte("/Type /Page\n")), err
}

// node is in the accessibility tree that a screen reader announces.
type node struct {
	Ignored    bool
	Role, Name struct{ Value string }
	Properties []struct {
		Name  string
		Value struct{ Value any }
	}
}

func (n *node) level() int {
	for _, p := range n.Properties {
		if level, ok := p.Value.Value.(float64); p.Name == "level" && ok {
			return int(level)
		}
	}
	return 0
}

// readAloud returns faults in the accessibility tree.
func (b *browser) readAloud() (problems []string, err error) {
	var tree struct{ Nodes []node }
	if err := b.call("Accessibility.getFullAXTree", nil, &tree); err != nil {
		return nil, err
	}
	roles, level := map[string]int{}, 0
	for i := range tree.Nodes {
		n := &tree.Nodes[i]
		if n.Ignored {
			continue
		}
		role := n.Role.Value
		roles[role]++
		switch role {
		case "image", "img", "link", "table", "region", "heading", "DisclosureTriangle":
			if n.Name.Value == "" {
				problems = append(problems, "a "+role+" has no name")
			}
		}
		if role == "heading" {
			if n.level() > level+1 {
				problems = append(problems, fmt.Sprintf("heading %q has level %d after %d", n.Name.Value, n.level(), level))
			}
			level = n.level()
		}
	}
	for _, role := range []string{"main", "banner", "contentinfo"} {
		if roles[role] != 1 {
			problems = append(problems, fmt.Sprintf("there are %d landmarks %s, want 1", roles[role], role))
		}
	}
	return problems, nil
}
