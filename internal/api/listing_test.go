package api_test

import (
	"fmt"
	"go/types"
	"reflect"
	"strings"
)

const module = "github.com/mesh-gateway/mesh-go/"

// listing is what a package promises, by name: "MeshPeer.Name" is "field string `json:"name"`".
type listing map[string]string

// lister writes a listing. An alias of a generated type is seen through: whatever type of this module an exported name
// leads to is listed with its fields and methods, unless another listing has it.
type lister struct {
	pkg   *types.Package
	lines listing
	seen  map[*types.TypeName]bool
}

// list lists what a package exports.
func list(pkg *types.Package) listing {
	l := &lister{pkg: pkg, lines: make(listing), seen: make(map[*types.TypeName]bool)}
	for _, name := range pkg.Scope().Names() {
		if object := pkg.Scope().Lookup(name); object.Exported() {
			l.object(object)
		}
	}
	return l.lines
}

func (l *lister) object(object types.Object) {
	switch object := object.(type) {
	case *types.Const:
		l.lines[object.Name()] = "const " + l.text(object.Type()) + " = " + object.Val().ExactString()
	case *types.Var:
		l.lines[object.Name()] = "var " + l.text(object.Type())
	case *types.Func:
		l.lines[object.Name()] = l.text(object.Type())
	case *types.TypeName:
		if object.IsAlias() {
			l.lines[object.Name()] = "= " + l.text(object.Type())
		} else {
			l.text(object.Type())
		}
	}
}

// declare lists a type that was met: what it is, its fields, its methods.
func (l *lister) declare(t *types.Named) {
	if l.seen[t.Obj()] || !l.listed(t.Obj().Pkg()) {
		return
	}
	l.seen[t.Obj()] = true
	name := l.name(t.Obj())
	what := "type" + l.parameters(t.TypeParams()) + " "
	if under, ok := t.Underlying().(*types.Struct); ok {
		what += "struct"
		if types.Comparable(t) { // a == b, and a map's key
			what += ", comparable"
		}
		l.fields(name, under)
	} else {
		what += l.text(t.Underlying())
	}
	if t.Obj().Exported() {
		l.lines[name] = what
	}
	l.methods(name, t)
}

// listed is true for the package itself and for those that no listing of their own is kept of.
func (l *lister) listed(pkg *types.Package) bool {
	if pkg == nil || pkg == l.pkg { // error and comparable have no package
		return pkg != nil
	}
	name, ours := strings.CutPrefix(pkg.Path(), module)
	return ours && !listings[name]
}

// fields lists the exported fields with their tags, which are the names on the wire.
func (l *lister) fields(name string, t *types.Struct) {
	for i := range t.NumFields() {
		field := t.Field(i)
		if field.Exported() {
			kind := "field"
			if field.Embedded() {
				kind = "embedded"
			}
			l.lines[name+"."+field.Name()] = strings.TrimSpace(kind + " " + l.text(field.Type()) + " " + tag(t.Tag(i)))
		} else if field.Embedded() {
			l.promoted(name, field.Type())
		}
	}
}

// promoted lists what an unexported embedded struct, or a pointer to one, exports through name.
func (l *lister) promoted(name string, t types.Type) {
	if pointer, ok := types.Unalias(t).(*types.Pointer); ok {
		t = pointer.Elem()
	}
	if inner, ok := t.Underlying().(*types.Struct); ok {
		l.fields(name, inner)
	}
}

// tag is the part of a tag that anything reads here.
func tag(text string) string {
	if name, ok := reflect.StructTag(text).Lookup("json"); ok {
		return fmt.Sprintf("`json:%q`", name)
	}
	return ""
}

func (l *lister) methods(name string, t *types.Named) {
	if types.IsInterface(t) {
		return // they stand in its one line, because a method more breaks whoever implements it
	}
	values := types.NewMethodSet(t)
	for method := range types.NewMethodSet(types.NewPointer(t)).Methods() {
		if !method.Obj().Exported() {
			continue
		}
		receiver := "*"
		if values.Lookup(nil, method.Obj().Name()) != nil {
			receiver = ""
		}
		l.lines[name+"."+method.Obj().Name()] = "method (" + receiver + t.Obj().Name() + ") " + l.text(method.Type())
	}
}
