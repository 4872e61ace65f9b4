package sessions

import "fmt"

type notes struct {
	all  []string
	seen map[string]bool
	more int
}

const mostNotes = 100

func (n *notes) add(program, session, format string, args ...any) {
	text := fmt.Sprintf("%s, session %s: ", program, session) + fmt.Sprintf(format, args...)
	switch {
	case n.seen[text]:
	case len(n.all) == mostNotes:
		n.more++
	default:
		if n.seen == nil {
			n.seen = map[string]bool{}
		}
		n.seen[text], n.all = true, append(n.all, text)
	}
}

func (n *notes) report(on func(string)) {
	if on == nil {
		return
	}
	for _, text := range n.all {
		on(text)
	}
	if n.more > 0 {
		on(fmt.Sprintf("%d more sessions differ from their totals", n.more))
	}
}
