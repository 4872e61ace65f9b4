// Package spool keeps the answers that a server has finished and not yet delivered, so that they survive the end of the process.
package spool

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/mesh-gateway/mesh-go/gen/gateway"
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

// Spool is the files of one server in a folder, which may have those of others. A nil Spool keeps nothing.
type Spool struct{ prefix string }

// Open creates the folder, which only its owner can open, unless it exists. The server is that of a node at a gateway. Without a folder
// the Spool is nil.
func Open(folder, server string) (*Spool, error) {
	if folder == "" {
		return nil, nil //nolint:nilnil // see above
	}
	return &Spool{filepath.Join(folder, digest(server)+"-")}, os.MkdirAll(folder, 0o700)
}

func digest(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text)))[:16] }

// name returns the file of the answer to a message. A gateway with a new database reuses ids.
func (s *Spool) name(m gateway.MeshMessage) string {
	return fmt.Sprintf("%s%d-%s.json", s.prefix, m.ID, digest(m.CreatedAt))
}

// Save writes the file of the answer to a message. A process that is killed leaves the whole file, or none of that name.
func (s *Spool) Save(m gateway.MeshMessage, answer string) error {
	text, err := json.Marshal(Answer{m.ID, m.FromNode, m.CreatedAt, m.ThreadID, m.RelatedTaskID, answer})
	if err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(s.prefix), ".new-*") // readable by its owner only
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	err = errors.Join(err, file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), s.name(m))
	}
	if err != nil {
		_ = os.Remove(file.Name())
	}
	return err
}

// Remove removes the file of the answer to a message, if there is one.
func (s *Spool) Remove(m gateway.MeshMessage) error {
	if err := os.Remove(s.name(m)); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// Load returns the answers, the oldest first, and an error for each file that cannot be read.
func (s *Spool) Load() (answers []Answer, err error) {
	if s == nil {
		return nil, nil
	}
	entries, err := os.ReadDir(filepath.Dir(s.prefix))
	for _, entry := range entries {
		name := filepath.Join(filepath.Dir(s.prefix), entry.Name())
		if matched, _ := filepath.Match(filepath.Base(s.prefix)+"*.json", entry.Name()); !matched {
			continue
		}
		text, failed := os.ReadFile(name) //nolint:gosec // a file of the folder that the caller names
		var a Answer
		if failed == nil && (json.Unmarshal(text, &a) != nil || a.ID < 1 || a.FromNode == "" || a.Text == "") {
			failed = fmt.Errorf("%s is not an answer", name)
		}
		if failed != nil {
			err = errors.Join(err, failed)
			continue
		}
		answers = append(answers, a)
	}
	slices.SortFunc(answers, func(a, b Answer) int { return cmp.Compare(a.ID, b.ID) })
	return answers, err
}
