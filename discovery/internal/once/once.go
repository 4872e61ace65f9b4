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
const most = 6 << 20

// Seen has the responses of calls. Records with the same provider and the same response id whose times differ by less than 24 hours are
// one call: those of a file and its copy, of two meters that a call has passed, of a response that several programs fetched, and of a
// call that is in the file of a session, too. The record that is added first counts, so those for which [Waits] is true are added last.
//
// Seen keeps a digest of 64 bits of each response and forgets the oldest ones: it recognizes a call among the 6 million before it, and
// has at most 12 million, which take 300 MB. Two of 10 million calls have the same digest by chance in one of 400,000 cases. The zero
// value is empty.
type Seen struct {
	// Most is used in place of 6 million, unless it is 0.
	Most          int
	recent, older table
}

// Add adds a record, and reports whether it is a new call. If it is not, of is the place of the record that counts. A record with the key
// 0 is a new call.
func (s *Seen) Add(key uint64, at time.Time, place int) (of int, added bool) {
	if key == 0 {
		return 0, true
	}
	if s.recent.used >= cmp.Or(s.Most, most) {
		s.recent, s.older = table{}, s.recent
	}
	now := sighting{key, uint32(at.Unix()), int32(place)} //nolint:gosec // differences count, and no file has 2^31 others beside it
	s.recent.reserve()
	i := s.recent.search(key)
	if first := s.recent.slot(i); now.isOf(first) {
		return int(first.place), false
	}
	if s.older.used > 0 {
		if old := s.older.slot(s.older.search(key)); now.isOf(old) {
			return int(old.place), false
		}
	}
	s.recent.put(i, now)
	return 0, true
}

// sighting is the key of a call, when it was sent, in Unix seconds, and the place of its record.
type sighting struct {
	key   uint64
	at    uint32
	place int32
}

// isOf reports whether a record is of the same call as another one. Times of different centuries may be confused, if the ids are equal.
func (s sighting) isOf(o *sighting) bool {
	const within = int32(Within / time.Second)
	after := int32(s.at - o.at) //nolint:gosec // wraps
	return s.key == o.key && -within < after && after < within
}

// seed differs in each process, so that no provider can choose ids with equal digests. Digests are never stored.
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
