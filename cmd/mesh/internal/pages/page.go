package pages

import (
	_ "embed" // for the page
	"fmt"
	"html/template"
	"io"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
)

// Page is a page of HTML without scripts, which requests nothing.
type Page struct {
	Title, Window string
	// Total is an amount with its currency. Details are lines below it.
	Total   string
	Details []string
	Warning *Warning
	Chart   *Chart
	Tables  []PageTable
}

// Warning is what the sums do not have.
type Warning struct {
	Text  string
	Items []string
}

// PageTable is a table of a page. The first of the Names is that of the rows.
type PageTable struct {
	Title string
	Names []string
	Rows  []PageRow
}

// PageRow is a row of a table.
type PageRow struct {
	Name  string
	Cells []Cell
}

// Cell is a cell of a table. Some is set for a number that a reader must not miss.
type Cell struct {
	Text string
	Some bool
}

//go:embed page.html
var pageHTML string

// Write writes the page. All texts are escaped, and without marks of the writing direction.
func (p *Page) Write(out io.Writer) error {
	page, err := template.New("page").Funcs(template.FuncMap{"plus": func(i int) int { return i + 1 }, "line": output.Line}).Parse(pageHTML)
	if err != nil {
		return fmt.Errorf("the template of the page: %w", err)
	}
	return page.Execute(out, p)
}
