package sessions

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

// program is recognized if a line has all keys. begin is nil for calls files.
type program struct {
	keys  []string
	begin func(*file)
}

var programs = []program{
	{[]string{"projectHash"}, beginGemini},
	{[]string{"$set"}, beginGemini},
	{[]string{"sessionID"}, beginOpencode},
	{[]string{"parentID"}, beginOpencode},
	{[]string{"localMonth", "totalTokens"}, beginQwen},
	{[]string{"totalLatencyMs", "models"}, beginQwenTotals},
	{[]string{"provenance", "parentUuid"}, skip}, // Qwen Code's conversations
	{[]string{"tokenUsage", "inclusiveTokenUsage"}, beginDroidSettings},
	{[]string{"hostId", "isSessionTitleManuallySet"}, beginDroid},
	{[]string{"data", "parentId"}, beginCopilot},
	{[]string{"version", "cwd", "type", "id"}, beginPi},
	{[]string{"time"}, nil},
	{[]string{"payload"}, beginCodex},
	{[]string{"instructions"}, beginCodex},
	{[]string{"sessionId"}, beginClaude},
	{[]string{"parentUuid"}, beginClaude},
	{[]string{"leafUuid"}, beginClaude},
	{[]string{"messageId"}, beginClaude},
}

var (
	magicSQLite = []byte("SQLite format 3")
	magicZstd   = []byte{0x28, 0xb5, 0x2f, 0xfd}
)

// programOf recognizes a file by its head, whose last line may be cut. It returns nil for
// calls files and unknown programs.
func programOf(path string, head []byte) func(*file) {
	switch {
	case bytes.HasPrefix(head, magicSQLite):
		return beginDatabase
	case bytes.HasPrefix(head, magicZstd):
		return func(f *file) { f.open = f.readPacked }
	case filepath.Ext(strings.TrimSuffix(path, ".gz")) == ".json":
		head = bytes.ReplaceAll(head, []byte{'\n'}, []byte{' '})
	}
	for more := true; more; {
		var text []byte
		text, head, more = bytes.Cut(head, []byte{'\n'})
		keys := keysOf(text)
		for _, p := range programs {
			if !slices.ContainsFunc(p.keys, func(key string) bool { return !slices.Contains(keys, key) }) {
				return p.begin
			}
		}
	}
	return nil
}

// The object may be cut.
func keysOf(text []byte) (keys []string) {
	var d jsonread.Decoder
	d.Reset(text)
	members := d.Object()
	for err := error(nil); err == nil && members.Next(); err = d.Skip() {
		keys = append(keys, string(members.Key()))
	}
	return keys
}

// readPacked reads files that Codex compressed.
func (f *file) readPacked(yield func(record, error) bool) {
	const memory = 64 << 20
	packed, err := zstd.NewReader(f.in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(memory))
	if err != nil {
		yield(record{}, &calls.LineError{File: f.path, Line: 1, Err: errPacked})
		return
	}
	defer packed.Close()
	in := bufio.NewReaderSize(packed, 64<<10)
	_, _ = in.Peek(1)
	head, _ := in.Peek(in.Buffered())
	begin := programOf(f.path, head)
	if begin == nil || bytes.HasPrefix(head, magicZstd) || bytes.HasPrefix(head, magicSQLite) {
		if len(head) > 0 || packedError(in) {
			yield(record{}, &calls.LineError{File: f.path, Line: 1, Err: errPacked})
		}
		return
	}
	f.open = nil
	begin(f)
	f.readLines(in, yield)
}

var errPacked = errors.New("the compressed file has no session")

func packedError(in *bufio.Reader) bool {
	_, err := in.ReadByte()
	return !errors.Is(err, io.EOF)
}
