package api_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A small module: what is generated, and the package that shows it.
const (
	generated = `package x
type Peer struct { Name string "json:\"name\""; Inner Inner }
type Inner struct { Depth int }
func (p *Peer) Reset() {}
type Kind string
const KindA Kind = "a"
`
	shown = `package shown
import "github.com/mesh-gateway/mesh-go/gen/x"
type Peer = x.Peer
type Options struct { inner; Limit int }
type inner struct { Deep bool }
type Option func(*inner)
type Shape interface { Area() float64 }
type Pair[K comparable, V any] struct { Key K; Value V }
type Number interface { ~int | ~float64 }
func (p Pair[K, V]) Swap() { panic(p) }
func New(name string, peers map[string]*Peer, opts ...Option) (*Options, error)
func Sum[N Number](all []N) N { panic(all) }
const Kind = x.KindA
var Err error
`
)

// Each row is one edit, and what the gate says of it.
func TestTheGateSeesEveryKindOfChange(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ from, to, want string }{
		"a field of the generated type goes":   {"; Inner Inner }", " }", "removed: gen/x.Peer.Inner field gen/x.Inner"},
		"it changes its type":                  {"Name string", "Name []byte", "changed: gen/x.Peer.Name was field string `json:\"name\"` and is field []byte `json:\"name\"`"},
		"it changes its name on the wire":      {`\"name`, `\"title`, "changed: gen/x.Peer.Name was field string `json:\"name\"` and is field string `json:\"title\"`"},
		"a type that only the alias leads to":  {"Depth int", "Depth int64", "changed: gen/x.Inner.Depth was field int and is field int64"},
		"its method goes":                      {"func (p *Peer) Reset() {}", "", "removed: gen/x.Peer.Reset method (*Peer) func()"},
		"its method gets another receiver":     {"func (p Pair[K, V]) Swap", "func (p *Pair[K, V]) Swap", "changed: Pair.Swap was method (Pair) func() and is method (*Pair) func()"},
		"the alias goes elsewhere":             {"= x.Peer", "= x.Inner", "changed: Peer was = gen/x.Peer and is = gen/x.Inner"},
		"the alias becomes a type of its own":  {"= x.Peer", "x.Peer", "changed: Peer was = gen/x.Peer and is type struct, comparable"},
		"a value of the wire":                  {`"a"`, `"b"`, `changed: Kind was const gen/x.Kind = "a" and is const gen/x.Kind = "b"`},
		"a parameter changes its type":         {"name string", "name []string", "changed: New was func(string, map[string]*gen/x.Peer, ...Option) (*Options, error) and is func([]string, map[string]*gen/x.Peer, ...Option) (*Options, error)"},
		"a parameter is no longer variadic":    {"opts ...Option", "opts []Option", "changed: New was"},
		"a result goes":                        {"(*Options, error)", "*Options", "changed: New was"},
		"a function goes":                      {"func Sum[N Number](all []N) N { panic(all) }", "", "removed: Sum func[N Number]([]N) N"},
		"a variable goes":                      {"var Err error", "", "removed: Err var error"},
		"a promoted field goes":                {"Deep bool", "deep bool", "removed: Options.Deep field bool"},
		"an interface has a method more":       {"Area() float64", "Area() float64; Edge() int", "changed: Shape was type interface{Area() float64} and is type interface{Area() float64; Edge() int}"},
		"nobody else can implement it":         {"Area() float64", "Area() float64; own()", "changed: Shape was"},
		"a type parameter becomes narrower":    {"V any", "V Shape", "changed: Pair was type[K comparable, V any] struct and is type[K comparable, V Shape] struct"},
		"a constraint becomes narrower":        {"~int |", "", "changed: Number was type interface{~int | ~float64} and is type interface{~float64}"},
		"values can no longer be compared":     {"Limit int", "Limit int; hooks []func()", "changed: Options was type struct, comparable and is type struct"},
		"a field more may be, and is recorded": {"Limit int", "Limit int; More int", "added: Options.More field int"},
		"a name more, likewise":                {"var Err error", "var Err, Other error", "added: Other var error"},
		"a parameter is called otherwise":      {"name string", "title string", ""},
		"the alias is spelled out":             {"*Peer, opts", "*x.Peer, opts", ""},
		"an unexported name more":              {"Limit int", "Limit int; limit int", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before, after := listed(t, strings.NewReplacer()), listed(t, strings.NewReplacer(row.from, row.to))
			broken, added := compare(before, after)
			if row.want == "" {
				assert.Equal(t, before, after)
				return
			}
			assert.Contains(t, strings.Join(append(broken, added...), "\n"), row.want)
			assert.Equal(t, strings.HasPrefix(row.want, "added: "), len(broken) == 0, broken)
		})
	}
}

// listed is the listing of the small module after an edit.
func listed(t *testing.T, edit *strings.Replacer) listing {
	t.Helper()
	from := make(imports)
	from[module+"gen/x"] = compile(t, module+"gen/x", edit.Replace(generated), from)
	return list(compile(t, module+"shown", edit.Replace(shown), from))
}

func compile(t *testing.T, path, source string, from imports) *types.Package {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, source, parser.SkipObjectResolution)
	require.NoError(t, err)
	config := types.Config{Importer: from, IgnoreFuncBodies: true}
	pkg, err := config.Check(path, files, []*ast.File{file}, nil)
	require.NoError(t, err)
	return pkg
}

type imports map[string]*types.Package

func (i imports) Import(path string) (*types.Package, error) { return i[path], nil }
