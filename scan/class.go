package scan

// class is a set of kinds of bytes, one bit each.
type class uint8

const (
	word   class = 1 << iota // A-Z a-z 0-9 _ : a word character, as for \b
	alnum                    // A-Z a-z 0-9
	upper                    // A-Z 0-9
	hex                      // a-f 0-9 : the digits of rule 6
	u                        // A-Z a-z 0-9 _ - : U in the tables of rules
	base64                   // A-Z a-z 0-9 / + = : rule 10
	dotted                   // u and the full stop
)

// classes holds the class of every byte. Bytes from 0x80 on are in no class, so no match contains them.
var classes = func() (all [256]class) {
	const lower, capitals, digits = "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789"
	add := func(c class, members string) {
		for i := range len(members) {
			all[members[i]] |= c
		}
	}
	add(word|alnum|u|base64|dotted, lower+capitals+digits)
	add(upper, capitals+digits)
	add(hex, "abcdef"+digits)
	add(word|u|dotted, "_")
	add(u|dotted, "-")
	add(dotted, ".")
	add(base64, "/+=")
	return all
}()

// endOf returns the position of the first byte in content[i:limit] that is not of class c, or limit.
func endOf(c class, content string, i, limit int) int {
	for i < limit && classes[content[i]]&c != 0 {
		i++
	}
	return i
}

// lastNot returns the position of the last byte in content[lo:hi] that is not of class c, or -1.
func lastNot(c class, content string, lo, hi int) int {
	for i := hi - 1; i >= lo; i-- {
		if classes[content[i]]&c == 0 {
			return i
		}
	}
	return -1
}
