package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/internal/seam"
	"github.com/mesh-gateway/mesh-go/internal/jsonlist"
)

// GetMessage returns the message with this id from the client's inbox. It marks nothing
// read.
//
// The gateway can't return a single message, and lists only the newest 1000. So
// GetMessage searches the inbox and, if that list may be incomplete, the unread messages,
// up to 100 threads and up to 100 senders. It keeps only the message itself, so a list
// may exceed [client.WithMaxResponseBytes]. If one is larger than 1 GiB, GetMessage
// requests fewer messages.
//
// If the message is not found, the error is a [*NotInInboxError], which describes what
// was searched. If it's invalid, the error is a [*client.RowError]; other invalid
// messages are ignored. An id below 1 is a [*client.ValueError].
func GetMessage(ctx context.Context, c *client.MeshClient, id int64) (found *client.MeshMessage, err error) {
	n, err := newNode(ctx, c)
	if err == nil {
		err = checkMessageID(id)
	}
	if err != nil {
		return nil, err
	}
	s := &search{client: n, id: id, limit: maxLimit}
	for list, err := range s.lists(ctx) {
		if err != nil {
			return nil, err
		}
		if found, err := s.find(ctx, list); found != nil || err != nil {
			return found, err
		}
		if s.complete {
			break
		}
	}
	return nil, s.notFound()
}

const (
	maxSearchedThreads = 100
	maxSearchedSenders = 100
)

type search struct {
	client *node
	id     int64
	// limit is the next list's limit. It shrinks after a list that was too large.
	limit int
	// complete means that the list had the whole inbox.
	complete         bool
	threads, senders int
	// unidentified is an invalid row without an id, which may be the message.
	unidentified *client.RowError
}

// lists yields queries for all messages, for unread ones, for each thread if the gateway
// knows threads, and for each peer, so that no sender can hide another's messages.
func (s *search) lists(ctx context.Context) iter.Seq2[query, error] {
	return func(yield func(query, error) bool) {
		name := s.client.Name
		if !yield(query{ToNode: name}, nil) || !yield(query{ToNode: name, UnreadOnly: true}, nil) {
			return
		}
		threads, err := s.client.ListThreads(ctx, client.ListThreadsOptions{Peer: name, Limit: maxSearchedThreads})
		if withoutRows(err) != nil && !errors.Is(err, client.ErrNoSuchPath) {
			yield(query{}, err)
			return
		}
		s.threads = len(threads)
		for _, thread := range threads {
			if !yield(query{ToNode: name, ThreadID: thread.ID}, nil) {
				return
			}
		}
		peers, err := s.client.Peers(ctx)
		if withoutRows(err) != nil {
			yield(query{}, err)
			return
		}
		s.senders = min(len(peers), maxSearchedSenders)
		for _, peer := range peers[:s.senders] {
			if !yield(query{ToNode: name, FromNode: peer.Name}, nil) {
				return
			}
		}
	}
}

// find searches one list. While the list is too large, it requests fewer messages.
func (s *search) find(ctx context.Context, list query) (*message, error) {
	f := new(jsonlist.Filter)
	filter := func(body io.Reader) io.Reader {
		*f = jsonlist.Filter{Body: body, List: "messages", MaxRow: s.client.MaxBytes}
		f.Keep = func(row []byte) (keep bool) {
			keep, f.Found = s.wants(row)
			return keep
		}
		return f
	}
	list.Limit = s.limit
	kept, limit, err := s.client.List(ctx, list, seam.List{Fewer: true, Filter: filter})
	s.limit = limit
	for _, m := range kept {
		if m.ID == s.id && m.ToNode == s.client.Name { // some gateways return other nodes' messages
			return &m, nil
		}
	}
	for _, row := range rowErrors(err) {
		if row.ID == s.id {
			return nil, row
		}
		if row.ID == 0 {
			s.unidentified = row
		}
	}
	if err = withoutRows(err); err == nil {
		s.complete = f.Rows < s.limit && !list.UnreadOnly && list.ThreadID == "" && list.FromNode == ""
	}
	return nil, err
}

// wants reports whether a row may be the message, and whether it surely is. An invalid
// row may be: the list's decoder then reports it.
func (s *search) wants(row []byte) (maybe, is bool) {
	if !bytes.Contains(row, strconv.AppendInt(nil, s.id, 10)) {
		return false, false
	}
	var m message
	err := m.UnmarshalJSON(row)
	is = err == nil && m.ID == s.id
	return is || err != nil, is
}

func (s *search) notFound() error {
	if s.unidentified != nil {
		return s.unidentified
	}
	if s.complete {
		return &NotInInboxError{ID: s.id}
	}
	return &NotInInboxError{ID: s.id, Searched: fmt.Sprintf(
		"the newest %d messages of the inbox, its newest %[1]d unread ones, and the newest %[1]d of each of %d threads and from each of %d peers",
		s.limit, s.threads, s.senders)}
}

// NotInInboxError reports a message that [GetMessage] did not find.
type NotInInboxError struct {
	// ID is the id that was searched for.
	ID int64
	// Searched describes the lists that were searched. It is "" if they covered the whole
	// inbox.
	Searched string
}

func (e *NotInInboxError) Error() string {
	if e.Searched == "" {
		return fmt.Sprintf("mesh: message %d is not in the inbox of this node", e.ID)
	}
	return fmt.Sprintf("mesh: message %d was not found in %s; the gateway lists no older ones", e.ID, e.Searched)
}

// Is makes the error match [client.ErrMesh].
func (e *NotInInboxError) Is(target error) bool { return target == client.ErrMesh }
