package client

import "regexp"

// nodeName is what a node may be called: a lower-case letter first, then letters, digits and hyphens, a letter or digit
// last, 2 to 64 in all.
var nodeName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,62}[a-z0-9]$`)

// checkNodeName says whether name keeps the rules.
func (g *guard) checkNodeName(field, name string) error {
	if nodeName.MatchString(name) {
		return nil
	}
	return g.valueError(field, name, "is not a node name: 2 to 64 lower-case letters, digits and hyphens, a letter first, no hyphen last")
}

// canonical resolves an alias. Aliases come before the rules for names, so that one may be spelled in any way.
func canonical(aliases map[string]string, name string) string {
	if target, ok := aliases[name]; ok {
		return target
	}
	return name
}
