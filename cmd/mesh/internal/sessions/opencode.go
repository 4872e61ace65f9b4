package sessions

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"modernc.org/sqlite"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/jsonread"
	"github.com/mesh-gateway/mesh-go/internal/openfile"
)

// beginOpencode reads messages. Input counts exclude cache reads and writes, and output
// counts exclude reasoning.
func beginOpencode(f *file) {
	l := &f.line
	reasoning := &l.counts[searches]
	f.fields = fields{
		"id": &l.id, "sessionID": &l.session, "role": &l.kind, "providerID": &l.provider, "modelID": &l.model, "path": fields{"cwd": &l.cwd},
		"tokens": fields{
			"input": &l.counts[input], "output": &l.counts[output], "reasoning": reasoning,
			"cache": fields{"read": &l.counts[reads], "write": &l.counts[writes]},
		},
		"time": fields{"created": func() { l.start = f.count() }},
		"error": func() {
			l.failed = f.Next() == jsonread.Object
			f.value()
		},
	}
	f.take = func() {
		if string(l.kind) != `"assistant"` || l.failed || l.counts.sum() == 0 {
			return
		}
		l.counts[output] += *reasoning
		*reasoning = 0
		at := time.UnixMilli(l.start)
		if l.start <= 0 || !storable(at) {
			f.fail(errTime)
			return
		}
		of := form{program: "opencode", api: "anthropic", model: f.repeated(l.model), project: projectOf(f.repeated(l.cwd)), session: f.repeated(l.session)}
		of.bill(f.repeated(l.provider))
		f.addMessage(of, at.UnixNano())
	}
}

// provider name in opencode or pi -> platform
var platforms = map[string]prices.Platform{
	"amazon-bedrock": prices.PlatformBedrock, "azure": prices.PlatformAzure, "azure-openai-responses": prices.PlatformAzure,
	"google-vertex": prices.PlatformVertex, "google-vertex-anthropic": prices.PlatformVertex, "openrouter": prices.PlatformOpenRouter,
}

// bill sets who bills the call.
func (of *form) bill(provider string) {
	if platform := platforms[provider]; platform != "" {
		of.platform = string(platform)
		p, _ := models.ProviderOf(of.model)
		of.provider = string(p)
		return
	}
	of.provider = providerOf(provider)
}

var errDatabase = errors.New("the database cannot be read")

func beginDatabase(f *file) {
	beginOpencode(f)
	f.open = func(yield func(record, error) bool) {
		if err := f.readMessages(yield); err != nil {
			yield(record{}, &calls.LineError{File: f.path, Line: 1, Err: errDatabase}) // the driver's error could quote the file
		}
	}
}

func (f *file) readMessages(yield func(record, error) bool) error {
	address, done, err := databaseURL(f.path)
	defer done()
	if err != nil {
		return err
	}
	db, err := sql.Open("sqlite", address)
	if err != nil {
		return err
	}
	defer db.Close()
	ctx := context.Background()
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := sqlite.Limit(conn, sqliteLength, longestLine); err != nil {
		return err
	}
	var tables int // a view, or a virtual table, may have rows without end
	err = conn.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'message' AND rootpage > 0").Scan(&tables)
	if err != nil || tables != 1 {
		return errors.Join(err, errDatabase)
	}
	rows, err := conn.QueryContext(ctx, "SELECT id, session_id, data FROM message ORDER BY rowid")
	if err != nil {
		return err
	}
	defer rows.Close()
	for number := int32(1); rows.Next(); number++ {
		var id, session string
		var data []byte
		if err := rows.Scan(&id, &session, &data); err != nil {
			return err
		}
		if err := f.readMessage(number, id, session, data); err != nil && !yield(record{}, &calls.LineError{File: f.path, Line: int(number), Err: err}) {
			return nil
		}
		if f.bytes > 2*maxBytes && !f.split(yield) {
			return nil
		}
	}
	return rows.Err()
}

const sqliteLength = 0

// readMessage reads a database row. data is like a message file, except that the ids are
// in separate columns.
func (f *file) readMessage(number int32, id, session string, data []byte) error {
	f.line.id, f.line.session = strconv.AppendQuote(nil, id), strconv.AppendQuote(nil, session)
	return f.readLine(line{number: int(number), text: data, whole: true})
}

// databaseURL returns a read-only URL. Reading must not create files next to the
// database: SQLite would add an index (-shm) to a write-ahead log that lacks one, so the
// URL is then for a copy. Call done to remove it.
func databaseURL(path string) (address string, done func(), err error) {
	done = func() {}
	if path, err = filepath.EvalSymlinks(path); err == nil { // SQLite looks for the log next to that file
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return "", done, err
	}
	sizes := map[string]int64{} // suffix -> size
	for _, suffix := range []string{"", "-wal", "-shm"} {
		info, err := os.Lstat(path + suffix)
		switch {
		case err != nil:
			continue
		case !info.Mode().IsRegular():
			return "", done, openfile.ErrNotRegular
		}
		sizes[suffix] = info.Size()
	}
	query := "mode=ro&immutable=1"
	if sizes["-wal"] > 0 {
		query = "mode=ro"
		if _, open := sizes["-shm"]; !open {
			if sizes[""]+sizes["-wal"] > maxCopy {
				return "", done, &openfile.SizeError{Max: maxCopy}
			}
			if path, done, err = copyDatabase(path); err != nil {
				return "", done, err
			}
		}
	}
	return (&url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(path), RawQuery: query}).String(), done, nil
}

const maxCopy = 4 << 30 // in bytes

func copyDatabase(path string) (name string, done func(), err error) {
	dir, err := os.MkdirTemp("", "mesh-sessions-*")
	if err != nil {
		return "", func() {}, err
	}
	done = func() { _ = os.RemoveAll(dir) }
	name = filepath.Join(dir, "copy.db")
	return name, done, errors.Join(copyFile(path, name), copyFile(path+"-wal", name+"-wal"))
}

func copyFile(from, to string) error {
	in, err := openfile.Regular(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600) //nolint:gosec // in a new directory
	if err != nil {
		return err
	}
	_, err = io.Copy(out, io.LimitReader(in, maxCopy))
	return errors.Join(err, out.Close())
}
