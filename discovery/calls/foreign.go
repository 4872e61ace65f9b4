package calls

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

// ErrUnsupported is the cause if a file has another program's format and
// Options.Decode doesn't read it.
var ErrUnsupported = errors.New("calls: unsupported format")

var errForeign = fmt.Errorf("%w: it is a session file of an agent program; the command mesh usage reads it", ErrUnsupported)

// sessionKeys recognize lines that other programs wrote.
var sessionKeys = []string{"projectHash", "$set", "sessionID", "parentID", "payload", "instructions", "sessionId", "parentUuid", "leafUuid"}

// isForeign reports whether another program wrote a file that starts with head, whose
// last line may be cut.
func isForeign(head []byte) bool {
	if bytes.HasPrefix(head, []byte("SQLite format 3")) || bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}) { // zstd
		return true
	}
	for more := true; more; {
		var line []byte
		line, head, more = bytes.Cut(head, []byte{'\n'})
		foreign, known := false, false
		var d jsonread.Decoder
		d.Reset(line)
		members := d.Object()
		for err := error(nil); err == nil && members.Next(); err = d.Skip() {
			key := string(members.Key())
			known = known || key == "time" || key == "model"
			foreign = foreign || slices.Contains(sessionKeys, key)
		}
		if known || foreign {
			return !known
		}
	}
	return false
}

// decodedBlocks yields another program's records in blocks.
type decodedBlocks struct {
	file  string
	next2 func() (Record, error, bool)
	stop  func()
}

func decodeBlocks(file string, records iter.Seq2[Record, error]) *decodedBlocks {
	b := &decodedBlocks{file: file}
	b.next2, b.stop = iter.Pull2(records)
	return b
}

// next returns io.EOF at the end.
func (d *decodedBlocks) next(buffer []byte) (block, error) {
	const most = 256
	b := block{file: d.file, data: buffer[:0]}
	for len(b.records) < most {
		r, err, ok := d.next2()
		if !ok {
			break
		}
		b.records, b.errs = append(b.records, r), append(b.errs, err)
	}
	if b.records == nil {
		return b, io.EOF
	}
	return b, nil
}
