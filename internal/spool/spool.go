// Package spool stores finished answers until they are delivered, so that they survive
// the end of the process.
package spool

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mesh-gateway/mesh-go/gen/gateway"
	"github.com/mesh-gateway/mesh-go/internal/openfile"
)

// Answer is an answer, with the message fields that its delivery needs.
type Answer struct {
	ID            int64   `json:"id"`
	FromNode      string  `json:"from_node"`
	CreatedAt     string  `json:"created_at"`
	ThreadID      *string `json:"thread_id,omitempty"`
	RelatedTaskID *string `json:"related_task_id,omitempty"`
	Text          string  `json:"text"`
}

// Message returns the answered message, with only the fields that Answer keeps.
func (a Answer) Message() gateway.MeshMessage {
	return gateway.MeshMessage{ID: a.ID, FromNode: a.FromNode, CreatedAt: a.CreatedAt, ThreadID: a.ThreadID, RelatedTaskID: a.RelatedTaskID}
}

// Spool stores one server's answers. Several servers may share its directory if the same
// user runs them. A nil Spool stores nothing.
type Spool struct{ folder, prefix string }

// Open returns the spool in a directory, or nil for an empty path. server identifies the
// node and its gateway. Open creates the directory, and removes unfinished files left by
// a killed process.
//
// Answers found there are sent in the node's name, so Open rejects a directory or an
// answer that others can write.
func Open(folder, server string) (*Spool, error) {
	if folder == "" {
		return nil, nil //nolint:nilnil // see above
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	if err := checkFolder(folder); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	s := &Spool{folder, digest(server) + "-"}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), unfinished) && entry.Type().IsRegular() {
			_ = os.Remove(filepath.Join(folder, entry.Name())) // another server may have renamed it
		}
		if s.owns(entry) {
			err = errors.Join(err, s.check(entry))
		}
	}
	return s, err
}

// writable holds the permissions that let others replace an answer.
const writable fs.FileMode = 0o022

func checkFolder(folder string) error {
	info, err := os.Stat(folder)
	if err == nil && !openfile.IsOurs(info, writable) {
		err = fmt.Errorf("%s must belong to this user, and only this user may write to it", folder)
	}
	return err
}

// check also rejects links, which lead out of the directory, and FIFOs, which block on
// open.
func (s *Spool) check(entry fs.DirEntry) error {
	info, err := entry.Info()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil // another server has delivered it
	case err == nil && (!info.Mode().IsRegular() || !openfile.IsOurs(info, writable)):
		return fmt.Errorf("%s must be a regular file that belongs to this user and that only this user may write", filepath.Join(s.folder, entry.Name()))
	}
	return err
}

func (s *Spool) owns(entry fs.DirEntry) bool {
	return strings.HasPrefix(entry.Name(), s.prefix) && filepath.Ext(entry.Name()) == ".json"
}

func digest(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text)))[:16] }

// File names an answer's file. It includes CreatedAt, because a gateway with a new
// database reuses ids.
func (s *Spool) File(m gateway.MeshMessage) string {
	return filepath.Join(s.folder, fmt.Sprintf("%s%d-%s.json", s.prefix, m.ID, digest(m.CreatedAt)))
}

// Save stores the answer to a message. If the process is killed meanwhile, the file is
// complete, or the next Open removes it.
func (s *Spool) Save(m gateway.MeshMessage, answer string) error {
	text, err := json.Marshal(Answer{m.ID, m.FromNode, m.CreatedAt, m.ThreadID, m.RelatedTaskID, answer})
	if err != nil {
		return err
	}
	const attempts = 3 // a server starting in the same directory removes unfinished files
	for range attempts {
		if err = s.write(s.File(m), text); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return err
}

// unfinished is the name prefix while a file is being written.
const unfinished = ".new-"

func (s *Spool) write(name string, text []byte) error {
	file, err := os.CreateTemp(s.folder, unfinished+"*") // only its owner can read it
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	err = errors.Join(err, file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), name)
	}
	if err != nil {
		_ = os.Remove(file.Name())
	}
	return err
}

// Remove removes the answer to a message, if it exists.
func (s *Spool) Remove(m gateway.MeshMessage) error {
	if err := os.Remove(s.File(m)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Load returns the answers, oldest first, and an error for each unreadable file.
func (s *Spool) Load() (answers []Answer, err error) {
	if s == nil {
		return nil, nil
	}
	entries, err := os.ReadDir(s.folder)
	for _, entry := range entries {
		if !s.owns(entry) {
			continue
		}
		switch a, failed := s.read(entry); {
		case failed == nil:
			answers = append(answers, a)
		case !errors.Is(failed, fs.ErrNotExist): // otherwise another server has delivered it
			err = errors.Join(err, failed)
		}
	}
	slices.SortFunc(answers, func(a, b Answer) int { return cmp.Compare(a.ID, b.ID) })
	return answers, err
}

// maxFile bounds an answer file, in bytes: 200,000 characters with escapes, plus names.
const maxFile = 8 << 20

func (s *Spool) read(entry fs.DirEntry) (a Answer, err error) {
	if err := s.check(entry); err != nil {
		return a, err
	}
	name := filepath.Join(s.folder, entry.Name())
	text, err := openfile.Read(name, maxFile)
	if err == nil && (json.Unmarshal(text, &a) != nil || a.FromNode == "" || a.Text == "" || s.File(a.Message()) != name) {
		err = fmt.Errorf("%s is not an answer", name)
	}
	return a, err
}
