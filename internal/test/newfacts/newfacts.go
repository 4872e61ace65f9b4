// Package newfacts makes facts that are newer than the built-in ones.
package newfacts

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/facts"
)

// Files returns the built-in facts as a directory with a newer VERSION.
func Files() fstest.MapFS {
	var bundle strings.Builder
	_, _ = facts.BuiltIn().WriteTo(&bundle) // a strings.Builder never fails
	files := fstest.MapFS{"VERSION": {Data: []byte(Version() + "\n")}}
	for _, part := range strings.Split(bundle.String(), "\n-- ")[1:] {
		name, text, _ := strings.Cut(part, " --\n")
		text, _, _ = strings.Cut(text, "\nfnv1a128 ")
		files[name] = &fstest.MapFile{Data: []byte(strings.TrimSuffix(text, "\n") + "\n")}
	}
	return files
}

// Version returns today's version.
func Version() string { return today() + ".99" }

func today() string { return time.Now().UTC().Format(time.DateOnly) }

// Today returns the built-in facts dated today, so that no command warns about old
// prices. They are older than Version.
func Today() fstest.MapFS {
	files := Files()
	for _, file := range files {
		file.Data = asOf.ReplaceAll(file.Data, []byte("# as of "+today()))
	}
	list := files["confirmed.csv"]
	list.Data = lastDay.ReplaceAll(list.Data, []byte(","+today()+"\n"))
	files["VERSION"].Data = []byte(today() + ".98\n")
	return files
}

var (
	asOf    = regexp.MustCompile(`# as of [\d-]+`)
	lastDay = regexp.MustCompile(`,[\d-]*\n$`)
)

// M runs tests whose commands use Today's facts.
type M struct{ *testing.M }

// Run sets MESH_FACTS.
func (m M) Run() int {
	name, err := store(Today())
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(filepath.Dir(name))
	if err := os.Setenv("MESH_FACTS", name); err != nil {
		panic(err)
	}
	return m.M.Run()
}

func store(files fstest.MapFS) (name string, err error) {
	f, err := facts.ReadFS(files)
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "facts")
	if err != nil {
		return "", err
	}
	var text strings.Builder
	_, _ = f.WriteTo(&text) // a strings.Builder never fails
	name = filepath.Join(dir, "facts")
	return name, os.WriteFile(name, []byte(text.String()), 0o600)
}

// Replace fails unless the file contains before.
func Replace(files fstest.MapFS, name, before, after string) {
	text := string(files[name].Data)
	if !strings.Contains(text, before) {
		panic(name + " lacks " + before)
	}
	files[name] = &fstest.MapFile{Data: []byte(strings.Replace(text, before, after, 1))}
}

// Append adds a row to a file.
func Append(files fstest.MapFS, name, row string) {
	files[name] = &fstest.MapFile{Data: []byte(string(files[name].Data) + row + "\n")}
}

// Tomorrow returns the built-in facts with a further row or other cell in each table.
func Tomorrow() fstest.MapFS {
	files := Files()
	Append(files, "prices.csv", "openai,gpt-99,0,1,,,,2,,,page,2026-11-22,,,,")
	Replace(files, "factors.csv", "openai,batch,0.5,", "openai,batch,0.25,")
	Replace(files, "fees.csv", "anthropic,web_search,request,0.01,", "anthropic,web_search,request,0.02,")
	Replace(files, "regions.csv", "openai,azure,1.1,*,data-zone", "openai,azure,1.5,*,data-zone")
	Replace(files, "modalities.csv", "xai,image,text", "xai,image,")
	Replace(files, "hours.csv", "01:00,04:00,no", "02:00,04:00,no")
	Append(files, "holidays.csv", "2027-02-08,Spring Festival")
	Append(files, "models.csv", "openai,gpt-99")
	Append(files, "retirements.csv", "openai,gpt-5.2,2127-06-01,,gpt-99,")
	Append(files, "platforms.csv", "anthropic,claude-opus-5,2127-07-01,bedrock,a page")
	Append(files, "confirmed.csv", "openai,gpt-99,0,,,,2026-11-25")
	return files
}
