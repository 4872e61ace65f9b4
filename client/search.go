package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"

	"github.com/mesh-gateway/mesh-go/gen/gateway"
)

// GetMessage returns a message to the client's node by its id. It marks nothing read.
//
// The gateway has no request for one message, and a list shows no more than the newest 1000. GetMessage therefore searches the
// list of all messages to the node and, if that may be incomplete, the lists of the unread ones, of 100 threads and of 100
// registered senders at most. It keeps only the message itself, so that the others may exceed [WithMaxResponseBytes]. If a list
// is larger than 1 GiB, fewer messages are requested.
//
// If the message is not found, the error is a [*NotInInboxError], which describes what was searched. A message that cannot be
// decoded is a [*RowError]; other such messages are ignored. An id below 1 is a [*ValueError].
func (c *MeshClient) GetMessage(ctx context.Context, id int64) (*MeshMessage, error) {
	if err := c.ready(ctx); err != nil {
		return nil, err
	}
	if err := checkMessageID(id); err != nil {
		return nil, err
	}
	s := &search{client: c, id: id, limit: maxLimit}
	for list, err := range s.lists(ctx) {
		if err != nil {
			return nil, err
		}
		found, err := s.find(ctx, list)
		if found != nil || err != nil {
			return found, err
		}
		if s.complete {
			break
		}
	}
	return nil, s.notFound()
}

// The number of threads and senders whose messages are searched.
const (
	maxSearchedThreads = maxThreadLimit
	maxSearchedSenders = 100
)

// search is the search for one message.
type search struct {
	client *MeshClient
	id     int64
	// limit is the number of messages of the next list. It is lower after a list that was too large.
	limit int
	// complete means that the list of all messages had room for more.
	complete         bool
	threads, senders int
	// unidentified is the error of a row without a valid id that may be the message.
	unidentified *RowError
}

// lists returns the lists to search, the most likely ones first.
func (s *search) lists(ctx context.Context) iter.Seq2[gateway.ListMessagesParams, error] {
	return func(yield func(gateway.ListMessagesParams, error) bool) {
		all := gateway.ListMessagesParams{To: &s.client.node}
		unread := all
		unread.UnreadOnly = optional(true)
		_ = yield(all, nil) && yield(unread, nil) && s.eachThread(ctx, all, yield) && s.eachSender(ctx, all, yield)
	}
}

// eachThread yields the messages of each thread of the node. Older gateways have no threads.
func (s *search) eachThread(ctx context.Context, list gateway.ListMessagesParams, yield func(gateway.ListMessagesParams, error) bool) bool {
	threads, err := s.client.ListThreads(ctx, ThreadQuery{Peer: s.client.node, Limit: maxSearchedThreads})
	if withoutRowErrors(err) != nil && !errors.Is(err, ErrNoSuchPath) {
		return yield(list, err)
	}
	for _, thread := range threads {
		s.threads++
		list.ThreadID = &thread.ID
		if !yield(list, nil) {
			return false
		}
	}
	return true
}

// eachSender yields the messages of each registered peer, so that the messages of one cannot hide those of another.
func (s *search) eachSender(ctx context.Context, list gateway.ListMessagesParams, yield func(gateway.ListMessagesParams, error) bool) bool {
	peers, _, err := s.client.listPeers(ctx, noCapabilities)
	if withoutRowErrors(err) != nil {
		return yield(list, err)
	}
	for _, peer := range peers[:min(len(peers), maxSearchedSenders)] {
		s.senders++
		list.From = &peer.Name
		if !yield(list, nil) {
			return false
		}
	}
	return true
}

// find searches one list. While the list is too large, it requests fewer messages.
func (s *search) find(ctx context.Context, list gateway.ListMessagesParams) (*MeshMessage, error) {
	for {
		list.Limit = optional(int64(s.limit))
		found, rows, err := s.request(ctx, &list)
		if !errors.Is(err, ErrTooLarge) || s.limit == 1 {
			s.complete = err == nil && rows < s.limit && list.UnreadOnly == nil && list.ThreadID == nil && list.From == nil
			return found, err
		}
		s.limit = max(1, s.limit/4)
	}
}

// request searches one response, which has this number of rows.
func (s *search) request(ctx context.Context, list *gateway.ListMessagesParams) (found *MeshMessage, rows int, err error) {
	var f *messageFilter
	op := opListMessages
	op.filter = func(body io.Reader) io.Reader {
		f = &messageFilter{id: s.id, limit: s.client.limits.MaxBytes}
		return f.reader(body)
	}
	resp, err := s.client.do(ctx, op, func(ctx context.Context) (*http.Response, error) {
		return s.client.api.ListMessages(ctx, list)
	})
	if err != nil || blank(resp) {
		return nil, 0, err
	}
	kept, err := decodeList[gateway.MessageList](s.client, op, resp, messageRows)
	if withoutRowErrors(err) != nil {
		return nil, 0, err
	}
	for _, m := range kept.Messages {
		if m.ID == s.id && m.ToNode == s.client.node { // gateways with deviations return messages of other nodes
			return &m, f.rows, nil
		}
	}
	for _, row := range rowErrors(err) {
		if row.ID == s.id {
			return nil, f.rows, row
		}
		if row.ID == 0 {
			s.unidentified = row
		}
	}
	return nil, f.rows, nil
}

// notFound returns an error that describes what was searched.
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
