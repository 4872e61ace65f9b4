package discoverytest

import (
	"embed"
	"encoding/json"
	"strings"
	"sync"
	"text/template"
)

//go:embed templates
var templateFiles embed.FS

// templates returns the responses as they are sent, with blanks for what differs between requests.
var templates = sync.OnceValue(func() *template.Template {
	functions := template.FuncMap{"json": encode, "ends": ends}
	return template.Must(template.New("").Funcs(functions).ParseFS(templateFiles, "templates/*.tmpl"))
})

func encode(value any) (string, error) {
	text, err := json.Marshal(value)
	return string(text), err
}

// ends returns the first and last characters of a key, or no character of a short one.
func ends(key string, first, last int) string {
	if len(key) <= first+last {
		return "***"
	}
	return key[:first] + "***" + key[len(key)-last:]
}

// fill returns the text of a template with data.
func fill(name string, data any) string {
	var text strings.Builder
	if err := templates().ExecuteTemplate(&text, name, data); err != nil {
		panic(err) // the templates are embedded, and data is valid
	}
	return text.String()
}
