// Package scan finds credentials in text before the text leaves the house.
//
// A message to another node, a log line, a prompt: each may carry an API key that somebody pasted by mistake. Scan
// looks for the shapes that the source document lists (SPEC.md, "Credential scan") and for the gateway token that is
// in use right now. It works in memory, asks nobody, and keeps nothing.
//
//	if f, found := scan.Find(message); found {
//		return fmt.Errorf("not sent: %v. %s", f, f.Rule.Advice)
//	}
//	safe := scan.New().Redact(logLine)
//
// [Find] is the whole check of a send. A [Scanner] does the same with tokens of your own choosing ([WithLiveToken]) and
// with the rules that we added ([WithExtendedRules]); it can also list everything ([Scanner.FindAll]) and write the text
// again without it ([Scanner.Redact]).
//
// # What counts as a match
//
// The table of rules has an order, and Find answers with the first rule of the table that matches anywhere, at its
// leftmost match: an early JWT does not hide a late PyPI token. A rule starts at an ASCII word boundary, so "-sk-…" is a
// hit and "_AKIA…" is none. Only rule 6 asks for a boundary at its end too. Rules 10 and 12 are heuristics: they ask for
// a word ("aws", "MESH_GATEWAY_TOKEN") later in the text, on any line.
//
// # Limits
//
// The scan is a net, not a wall. It misses a key that is glued to a letter or an underscore, split over two lines,
// encoded, or disguised by a look-alike letter, and it flags harmless text that has the shape of a key. Offsets are byte
// offsets. Bytes outside ASCII, valid UTF-8 or not, are simply no word characters.
//
// The time is linear in the text, whatever the text is, and clean text costs no allocation. Text without long unbroken
// words, such as prose or code, is scanned at memory speed: docs/scan.md tells how, and how fast.
//
// # Concurrency
//
// Every function may be called from any number of goroutines at once. A Scanner never changes after [New].
//
// # The documents
//
// Comments cite SPEC.md and WIRE.md. These are the source document and the record of the wire, kept by the maintainers;
// docs/conformance.md in the repository maps their rules to names and tests.
package scan
