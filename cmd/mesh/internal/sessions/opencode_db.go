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

	_ "modernc.org/sqlite" // the driver

	"github.com/mesh-gateway/mesh-go/discovery/calls"
)

var errDatabase = errors.New("the database cannot be read")

// beginDatabase reads the messages in the database of opencode.
func beginDatabase(f *file) {
	beginOpencode(f)
	f.open = func(yield func(record, error) bool) {
		if err := f.readMessages(yield); err != nil {
			yield(record{}, &calls.LineError{File: f.path, Line: 1, Err: errDatabase}) // the driver's error could have a text of the file
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
	defer func() { _ = db.Close() }()
	db.SetMaxOpenConns(1)
	rows, err := db.QueryContext(context.Background(), "SELECT id, session_id, data FROM message ORDER BY rowid")
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for number := int32(1); rows.Next(); number++ {
		var id, session string
		var data []byte
		if err := rows.Scan(&id, &session, &data); err != nil {
			return err
		}
		if err := f.readMessage(number, id, session, data); err != nil && !yield(record{}, &calls.LineError{File: f.path, Line: int(number), Err: err}) {
			return nil
		}
	}
	return rows.Err()
}

// readMessage reads a row, whose data is a file of opencode without its ids.
func (f *file) readMessage(number int32, id, session string, data []byte) error {
	if len(data) > longestLine {
		return errLong
	}
	f.line.id, f.line.session = strconv.AppendQuote(nil, id), strconv.AppendQuote(nil, session)
	return f.readLine(line{number: int(number), text: data, whole: true})
}

// databaseURL returns the URL of a database that is opened so that nothing is written next to it. One whose log has rows, but which no
// program has open, is copied: SQLite would leave an index of the log there.
func databaseURL(path string) (address string, done func(), err error) {
	done = func() {}
	query := "mode=ro&immutable=1"
	if log, err := os.Stat(path + "-wal"); err == nil && log.Size() > 0 {
		query = "mode=ro"
		if _, err := os.Stat(path + "-shm"); err != nil {
			if path, done, err = copyDatabase(path); err != nil {
				return "", done, err
			}
		}
	}
	if path, err = filepath.Abs(path); err != nil {
		return "", done, err
	}
	return (&url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(path), RawQuery: query}).String(), done, nil
}

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
	in, err := os.Open(from) //nolint:gosec // the user names the folder
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600) //nolint:gosec // in a new folder
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
