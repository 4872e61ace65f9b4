// Package scan finds credentials in text before it's sent or logged.
//
// A message, a log line or a prompt may contain an API key that was pasted by mistake.
// Package scan recognizes the formats of well-known keys, and the gateway token in use.
// It works in memory, without network access.
//
//	if f, found := scan.Find(message); found {
//		return fmt.Errorf("not sent: %v. %s", f, f.Rule.Advice)
//	}
//	safe := scan.New().Redact(logLine)
//
// Package client scans each message before it sends it. To scan for other live tokens or
// more kinds of keys, make a [Scanner] with [WithLiveToken] or [WithExtendedRules].
// [Scanner.FindAll] lists every match, and [Scanner.Redact] replaces them.
//
// # Matches
//
// Rules are ordered; see [Rules]. Find returns the leftmost match of the first rule that
// matches anywhere: an early JWT doesn't hide a late PyPI token.
//
// Except for live tokens, a match starts at an ASCII word boundary, so "-sk-…" matches
// and "_AKIA…" doesn't. Only rule 6 also requires a boundary at its end. Non-ASCII bytes,
// valid UTF-8 or not, aren't word characters. Offsets are in bytes.
//
// Rules 10 and 12 are heuristics: they require a word ("aws", "MESH_GATEWAY_TOKEN") later
// in the text, on any line.
//
// # Limits
//
// A key isn't found if it follows a letter, digit or underscore, is split over two lines,
// is encoded, or contains a letter that only looks like ASCII. Harmless text in the
// format of a key is reported, too.
//
// Scanning takes linear time for any text, and allocates nothing if there is no match.
// See docs/scan.md for the method and its speed.
//
// All functions and methods may be called concurrently. A Scanner is immutable.
package scan
