// Package once recognizes calls that were recorded more than once.
package once

import (
	"cmp"
	"hash/maphash"
	"strings"
	"time"
)

// Within is the time within which records with the same response id are the same call.
const Within = 24 * time.Hour

// most bounds the ids in each half of Seen.
const most = 6 << 20

// Seen remembers responses. Records with the same provider and response id, less than 24
// hours apart, are the same call: in a file and its copy, from two meters along the way,
// from programs that fetch the same stored response, or in a session file, too. The
// record added first counts, so add records for which [Waits] is true last.
//
// Seen keeps a 64-bit digest per response and forgets the oldest ones. It recognizes a
// call among the last 6 million, and keeps at most 12 million, in 300 MB. With 10 million
// calls, the chance that two have the same digest is 1 in 400,000. The zero value is
// empty.
type Seen struct {
	// Most replaces 6 million, unless it's 0.
	Most          int
	recent, older table
	loaded        uint64 // keeps the compiler from dropping Load's reads
}

// Add adds a record and reports whether it's a new call. If it isn't, of is the place of
// the record that counts. A record with key 0 is always new.
func (s *Seen) Add(key uint64, at time.Time, place int) (of int, added bool) {
	if key == 0 {
		return 0, true
	}
	if s.recent.used >= cmp.Or(s.Most, most) {
		s.recent, s.older = table{}, s.recent
	}
	now := sighting{key, uint32(at.Unix()), int32(place)} //nolint:gosec // differences count, and no file has 2^31 others next to it
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

// Load reads a key's place. Call it for several keys before [Seen.Add]: the processor
// then waits for memory once, not for each key.
func (s *Seen) Load(key uint64) {
	if s.recent.size > 0 {
		s.loaded += s.recent.slot(s.recent.home(key)).key
	}
}

// sighting is a call's key, its time in Unix seconds, and where its record is.
type sighting struct {
	key   uint64
	at    uint32
	place int32
}

// isOf reports whether two records are the same call. The times wrap after 136 years, so
// equal ids from different centuries may be confused.
func (s sighting) isOf(o *sighting) bool {
	const within = int32(Within / time.Second)
	after := int32(s.at - o.at) //nolint:gosec // wraps
	return s.key == o.key && -within < after && after < within
}

// seed differs in each process, so that no provider can choose ids with equal digests.
// Digests aren't stored.
var seed = maphash.MakeSeed()

// Key returns a response's digest, or 0 if it has no id.
func Key[P ~string, T string | []byte](provider P, id T, at time.Time) uint64 {
	if len(id) == 0 {
		return 0
	}
	var buffer [128]byte
	text := append(append(append(buffer[:0], provider...), 0), id...)
	const ollama = "chatcmpl-998" // ollama numbers responses at random, up to this one
	if len(id) <= len(ollama) && strings.HasPrefix(string(id), "chatcmpl-") {
		text = at.UTC().AppendFormat(text, time.RFC3339Nano)
	}
	return max(1, maphash.Bytes(seed, text))
}

// Waits reports whether another record of the same call would be better: this one lacks
// final counts, or fetched a stored response, which other programs may have fetched, too.
func Waits(path, id string, final bool) bool { return id != "" && (!final || Fetches(path, id)) }

// Fetches reports whether a path fetches the stored response with this id.
func Fetches(path, id string) bool {
	if id == "" || len(path) <= len(id) { // nearly always
		return false
	}
	_, fetched, found := strings.Cut(path, "/responses/")
	return found && strings.HasPrefix(fetched, id)
}
