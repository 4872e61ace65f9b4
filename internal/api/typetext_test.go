package api_test

import (
	"fmt"
	"go/types"
	"slices"
	"strings"
)

// text writes a type the same way however it was spelled: aliases are resolved, names of parameters left out. It declares the
// types of this module that it meets.
func (l *lister) text(t types.Type) string {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		l.declare(t.Origin())
		return l.name(t.Obj()) + l.arguments(t.TypeArgs())
	case *types.Pointer:
		return "*" + l.text(t.Elem())
	case *types.Slice:
		return "[]" + l.text(t.Elem())
	case *types.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), l.text(t.Elem()))
	case *types.Map:
		return "map[" + l.text(t.Key()) + "]" + l.text(t.Elem())
	case *types.Chan:
		return [...]string{"chan ", "chan<- ", "<-chan "}[t.Dir()] + l.text(t.Elem())
	case *types.Signature:
		return l.signature(t)
	case *types.Struct:
		return l.structure(t)
	case *types.Interface:
		return l.interfaceText(t)
	case *types.Union:
		return l.union(t)
	default: // the basic types, and type parameters
		return t.String()
	}
}

// name is unqualified in the package itself, and without the module's path elsewhere.
func (l *lister) name(object *types.TypeName) string {
	if object.Pkg() == nil || object.Pkg() == l.pkg {
		return object.Name()
	}
	return strings.TrimPrefix(object.Pkg().Path(), module) + "." + object.Name()
}

func (l *lister) arguments(list *types.TypeList) string {
	if list.Len() == 0 {
		return ""
	}
	var all []string
	for t := range list.Types() {
		all = append(all, l.text(t))
	}
	return "[" + strings.Join(all, ", ") + "]"
}

// parameters are the type parameters of a type or function, with what each has to be.
func (l *lister) parameters(list *types.TypeParamList) string {
	if list.Len() == 0 {
		return ""
	}
	var all []string
	for p := range list.TypeParams() {
		all = append(all, p.String()+" "+l.text(p.Constraint()))
	}
	return "[" + strings.Join(all, ", ") + "]"
}

func (l *lister) signature(t *types.Signature) string {
	inputs := l.tuple(t.Params())
	if last := len(inputs) - 1; t.Variadic() {
		inputs[last] = "..." + strings.TrimPrefix(inputs[last], "[]")
	}
	text := "func" + l.parameters(t.TypeParams()) + "(" + strings.Join(inputs, ", ") + ")"
	switch results := l.tuple(t.Results()); len(results) {
	case 0:
		return text
	case 1:
		return text + " " + results[0]
	default:
		return text + " (" + strings.Join(results, ", ") + ")"
	}
}

func (l *lister) tuple(t *types.Tuple) []string {
	var all []string
	for v := range t.Variables() {
		all = append(all, l.text(v.Type()))
	}
	return all
}

func (l *lister) structure(t *types.Struct) string {
	var all []string
	for i := range t.NumFields() {
		all = append(all, strings.TrimSpace(t.Field(i).Name()+" "+l.text(t.Field(i).Type())+" "+tag(t.Tag(i))))
	}
	return "struct{" + strings.Join(all, "; ") + "}"
}

// interfaceText says whether there are unexported methods, because nobody else can implement it then, but not which.
func (l *lister) interfaceText(t *types.Interface) string {
	if t.Empty() {
		return "any"
	}
	var all []string
	for m := range t.Methods() {
		if m.Exported() {
			all = append(all, m.Name()+strings.TrimPrefix(l.text(m.Type()), "func"))
		} else {
			all = append(all, "unexported")
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	for e := range t.EmbeddedTypes() { // with those that a type parameter may be
		all = append(all, l.text(e))
	}
	return "interface{" + strings.Join(all, "; ") + "}"
}

func (l *lister) union(t *types.Union) string {
	var all []string
	for term := range t.Terms() {
		tilde := ""
		if term.Tilde() {
			tilde = "~"
		}
		all = append(all, tilde+l.text(term.Type()))
	}
	return strings.Join(all, " | ")
}
