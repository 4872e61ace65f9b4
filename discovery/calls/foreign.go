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

// ErrUnsupported is the cause of the error of a file in the format of another program, unless Options.Decode reads it.
var ErrUnsupported = errors.New("calls: unsupported format")

var errForeign = fmt.Errorf("%w: it is a session file of an agent program; the command mesh usage reads it", ErrUnsupported)

// sessionKeys are the keys by which the lines of other programs are recognized.
var sessionKeys = []string{"projectHash", "$set", "sessionID", "parentID", "payload", "instructions", "sessionId", "parentUuid", "leafUuid"}

// isForeign reports whether a file that begins with head is one of another program. The last line may be cut.
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

// decodedBlocks has the records of a file of another program in blocks.
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

// next returns the next records as a block; the error at the end is io.EOF.
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
