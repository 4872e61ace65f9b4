// Package scan finds credentials in text, before the text is sent or logged.
//
// A message to another node, a log line or a prompt may contain an API key that was pasted by mistake. Package scan looks for
// the formats of known keys and for the gateway token that is in use. It works in memory, without network access.
//
//	if f, found := scan.Find(message); found {
//		return fmt.Errorf("not sent: %v. %s", f, f.Rule.Advice)
//	}
//	safe := scan.New().Redact(logLine)
//
// [Find] is the check that package client makes before it sends a message. A [Scanner] makes the same check with other live
// tokens ([WithLiveToken]) and further rules ([WithExtendedRules]). [Scanner.FindAll] lists every match and [Scanner.Redact]
// replaces them.
//
// # Matches
//
// The rules are ordered; see [Rules]. Find returns the leftmost match of the first rule that matches anywhere: an early JWT
// does not hide a late PyPI token. A match starts at an ASCII word boundary, so "-sk-…" matches and "_AKIA…" does not. Only
// rule 6 also requires a boundary at its end. Rules 10 and 12 are heuristics: they require a word ("aws", "MESH_GATEWAY_TOKEN")
// later in the text, on any line. Offsets are in bytes. Bytes outside ASCII are not word characters, whether they are valid
// UTF-8 or not.
//
// # Limits
//
// The scan does not find a key that follows a letter, a digit or an underscore, is split over two lines, is encoded, or
// contains a letter that only looks like an ASCII letter. It also matches harmless text that has the format of a key.
//
// The time is linear in the length of the text, for any text. Text without a match causes no allocation. docs/scan.md describes
// the method and its speed.
//
// All functions and methods are safe for concurrent use. A Scanner is immutable.
package scan
