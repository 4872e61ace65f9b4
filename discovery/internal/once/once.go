// Package once recognizes calls that were recorded several times.
package once

import (
	"cmp"
	"hash/maphash"
	"strings"
	"time"
)

// Within is the time within which records of one response are one call.
const Within = 24 * time.Hour

// most bounds the ids in each half of Seen.
const most = 8 << 20

// Seen has the responses of calls. Records with the same provider and the same response id whose times differ by less than 24 hours are
// one call: those of a file and its copy, of two meters that a call has passed, of a response that several programs fetched, and of a
// call that is in the file of a session, too. The record that is added first counts, so those for which [Waits] is true are added last.
//
// Seen keeps a digest of 64 bits of each response and forgets the oldest ones: it recognizes a call among the 8 million before it, and
// has at most 16 million, which take 450 MB. Two of 10 million calls have the same digest by chance in one of 400,000 cases. The zero
// value is empty.
type Seen struct {
	// Most is used in place of 8 million, unless it is 0.
	Most          int
	recent, older map[uint64]sighting
}

// sighting is when a call was sent, in Unix seconds, and the place of its record.
type sighting struct {
	at    int64
	place int
}

// Add adds a record, and reports whether it is a new call. If it is not, of is the place of the record that counts. A record with the key
// 0 is a new call.
func (s *Seen) Add(key uint64, at time.Time, place int) (of int, added bool) {
	if key == 0 {
		return 0, true
	}
	now := at.Unix()
	for _, known := range [...]map[uint64]sighting{s.recent, s.older} {
		if first, ok := known[key]; ok && max(first.at-now, now-first.at) < int64(Within/time.Second) {
			return first.place, false
		}
	}
	if s.recent == nil || len(s.recent) >= cmp.Or(s.Most, most) {
		s.recent, s.older = map[uint64]sighting{}, s.recent
	}
	s.recent[key] = sighting{now, place}
	return 0, true
}

var seed = maphash.MakeSeed()

// Key returns the digest of a response, or 0 without an id.
func Key[P ~string, T string | []byte](provider P, id T, at time.Time) uint64 {
	if len(id) == 0 {
		return 0
	}
	var buffer [128]byte
	text := append(append(append(buffer[:0], provider...), 0), id...)
	const ollama = "chatcmpl-998" // it numbers its responses at random, up to this one
	if len(id) <= len(ollama) && strings.HasPrefix(string(id), "chatcmpl-") {
		text = at.UTC().AppendFormat(text, time.RFC3339Nano)
	}
	return max(1, maphash.Bytes(seed, text))
}

// Waits reports whether another record of the same call counts in place of this one, if there is one: this one has no final counts, or has
// fetched a stored response, as several programs may.
func Waits(path, id string, final bool) bool { return id != "" && (!final || Fetches(path, id)) }

// Fetches reports whether a path is that of the stored response with an id.
func Fetches(path, id string) bool {
	_, fetched, found := strings.Cut(path, "/responses/")
	return found && id != "" && strings.HasPrefix(fetched, id)
}
