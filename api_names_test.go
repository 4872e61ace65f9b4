package mesh_test

import (
	"go/types"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// If an exported name uses a type from gen or an internal package, a public package must
// export that type. Otherwise users couldn't declare such a variable, and its package
// promises nothing.
func TestUsersCanNameEveryType(t *testing.T) {
	t.Parallel()
	packages := imported(t, slices.Concat(candidates, public))
	v := visitor{nameable: map[*types.TypeName]bool{}, seen: map[types.Type]bool{}}
	var objects []types.Object
	for _, pkg := range packages {
		for _, name := range pkg.Scope().Names() {
			if object := pkg.Scope().Lookup(name); object.Exported() {
				objects = append(objects, object)
				if named, ok := types.Unalias(object.Type()).(*types.Named); ok && isType(object) {
					v.nameable[named.Origin().Obj()] = true
				}
			}
		}
	}
	for _, object := range objects {
		v.where = object.Pkg().Path() + "." + object.Name()
		v.visit(object.Type())
		if named, ok := types.Unalias(object.Type()).(*types.Named); ok && isType(object) {
			v.visitMembers(named)
		}
	}
	assert.Empty(t, v.unnameable)
	assert.Greater(t, len(v.seen), 500)
}

var unpromised = regexp.MustCompile(`^github.com/mesh-gateway/mesh-go/(gen|(.*/)?internal)/`)

func isType(object types.Object) bool { _, ok := object.(*types.TypeName); return ok }

type visitor struct {
	nameable   map[*types.TypeName]bool
	seen       map[types.Type]bool
	where      string // the exported name that leads here
	unnameable []string
}

func (v *visitor) visitMembers(named *types.Named) {
	v.visit(named.Underlying())
	for method := range types.NewMethodSet(types.NewPointer(named)).Methods() {
		if method.Obj().Exported() {
			v.visit(method.Type())
		}
	}
}

// visit visits a type's parts, but no other named type's.
func (v *visitor) visit(typ types.Type) {
	if v.seen[typ] {
		return
	}
	v.seen[typ] = true
	switch typ := types.Unalias(typ).(type) {
	case *types.Named:
		v.visitNamed(typ)
	case *types.Map:
		v.visit(typ.Key())
		v.visit(typ.Elem())
	case *types.Signature:
		v.visit(typ.Params())
		v.visit(typ.Results())
	case *types.Tuple:
		for variable := range typ.Variables() {
			v.visit(variable.Type())
		}
	case *types.Struct:
		for field := range typ.Fields() {
			if field.Exported() {
				v.visit(field.Type())
			}
		}
	case *types.Interface:
		for method := range typ.Methods() {
			if method.Exported() {
				v.visit(method.Type())
			}
		}
	case interface{ Elem() types.Type }: // a pointer, slice, array or channel
		v.visit(typ.Elem())
	}
}

func (v *visitor) visitNamed(named *types.Named) {
	object := named.Origin().Obj()
	if pkg := object.Pkg(); pkg != nil && !v.nameable[object] && unpromised.MatchString(pkg.Path()+"/") {
		v.unnameable = append(v.unnameable, v.where+" has a "+pkg.Path()+"."+object.Name())
	}
	for argument := range named.TypeArgs().Types() {
		v.visit(argument)
	}
}

var amount = regexp.MustCompile(`USD|PerMTok|PerUse`)

// Exported amounts must not be plain strings. Numbers come from the source document.
func TestAmountsAreUSD(t *testing.T) {
	t.Parallel()
	amounts := 0
	for _, pkg := range imported(t, slices.Concat(candidates, public)) {
		for _, name := range pkg.Scope().Names() {
			fields, ok := pkg.Scope().Lookup(name).Type().Underlying().(*types.Struct)
			if !ok || !pkg.Scope().Lookup(name).Exported() {
				continue
			}
			for field := range fields.Fields() {
				if amount.MatchString(field.Name()) && types.Identical(field.Type().Underlying(), types.Typ[types.String]) {
					amounts++
					assert.Equal(t, "github.com/mesh-gateway/mesh-go/discovery/prices.USD", field.Type().String(), "%s.%s", name, field.Name())
				}
			}
		}
	}
	assert.Greater(t, amounts, 30)
}
