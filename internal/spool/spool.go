// Package spool keeps the answers that a server has finished and not yet delivered, so that they survive the end of the process.
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
	"github.com/mesh-gateway/mesh-go/internal/private"
)

// Answer is an answer and what its delivery needs of the message.
type Answer struct {
	ID            int64   `json:"id"`
	FromNode      string  `json:"from_node"`
	CreatedAt     string  `json:"created_at"`
	ThreadID      *string `json:"thread_id,omitempty"`
	RelatedTaskID *string `json:"related_task_id,omitempty"`
	Text          string  `json:"text"`
}

// Message returns the message that is answered, as far as it is kept.
func (a Answer) Message() gateway.MeshMessage {
	return gateway.MeshMessage{ID: a.ID, FromNode: a.FromNode, CreatedAt: a.CreatedAt, ThreadID: a.ThreadID, RelatedTaskID: a.RelatedTaskID}
}

// Spool has the files of one server in a folder, which other servers of this user may share. A nil Spool keeps nothing.
type Spool struct{ folder, prefix string }

// Open returns the spool of a node at a gateway, or nil if folder is empty. It creates the folder if it does not exist, and removes
// files that a killed process has left unfinished. Answers in the folder are sent in the name of the node: Open refuses a folder, or
// a file in it, that others can write.
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

// writable has the permissions that let others replace an answer.
const writable fs.FileMode = 0o022

func checkFolder(folder string) error {
	info, err := os.Stat(folder)
	if err == nil && !private.IsOurs(info, writable) {
		err = fmt.Errorf("%s must belong to this user, and only this user may write to it", folder)
	}
	return err
}

// check refuses links as well: they lead out of the folder. Opening a FIFO would block.
func (s *Spool) check(entry fs.DirEntry) error {
	info, err := entry.Info()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil // another server has delivered it
	case err == nil && (!info.Mode().IsRegular() || !private.IsOurs(info, writable)):
		return fmt.Errorf("%s must be a regular file that belongs to this user and that only this user may write", filepath.Join(s.folder, entry.Name()))
	}
	return err
}

// owns reports whether an entry of the folder is an answer of this server.
func (s *Spool) owns(entry fs.DirEntry) bool {
	return strings.HasPrefix(entry.Name(), s.prefix) && filepath.Ext(entry.Name()) == ".json"
}

func digest(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text)))[:16] }

// name returns the file of the answer to a message. A gateway with a new database reuses ids.
func (s *Spool) name(m gateway.MeshMessage) string {
	return filepath.Join(s.folder, fmt.Sprintf("%s%d-%s.json", s.prefix, m.ID, digest(m.CreatedAt)))
}

// Save writes the file of the answer to a message. A process that is killed leaves the whole file, or an unfinished one.
func (s *Spool) Save(m gateway.MeshMessage, answer string) error {
	text, err := json.Marshal(Answer{m.ID, m.FromNode, m.CreatedAt, m.ThreadID, m.RelatedTaskID, answer})
	if err != nil {
		return err
	}
	const attempts = 3 // a server that starts in the same folder removes an unfinished file
	for range attempts {
		if err = s.write(s.name(m), text); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return err
}

// unfinished begins the name of a file that is being written.
const unfinished = ".new-"

func (s *Spool) write(name string, text []byte) error {
	file, err := os.CreateTemp(s.folder, unfinished+"*") // readable by its owner only
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

// Remove removes the file of the answer to a message, if there is one.
func (s *Spool) Remove(m gateway.MeshMessage) error {
	if err := os.Remove(s.name(m)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Load returns the answers, the oldest first, and an error for each file that cannot be read.
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
		case !errors.Is(failed, fs.ErrNotExist): // else another server has delivered it
			err = errors.Join(err, failed)
		}
	}
	slices.SortFunc(answers, func(a, b Answer) int { return cmp.Compare(a.ID, b.ID) })
	return answers, err
}

// maxFile bounds the file of an answer, in bytes: 200,000 characters with escapes, and names.
const maxFile = 8 << 20

func (s *Spool) read(entry fs.DirEntry) (a Answer, err error) {
	if err := s.check(entry); err != nil {
		return a, err
	}
	name := filepath.Join(s.folder, entry.Name())
	text, err := openfile.Read(name, maxFile)
	if err == nil && (json.Unmarshal(text, &a) != nil || a.FromNode == "" || a.Text == "" || s.name(a.Message()) != name) {
		err = fmt.Errorf("%s is not an answer", name)
	}
	return a, err
}
