package client

import (
	"context"
	"fmt"

	"github.com/mesh-gateway/mesh-go/internal/spool"
)

// openSpool opens the folder of finished answers, if there is one.
func (s *server) openSpool() (err error) {
	if s.spool, err = spool.Open(s.opts.Spool, s.client.node+" "+s.client.api.Server); err != nil {
		return invalid("Spool", s.client.redactor.redact(err.Error()))
	}
	return nil
}

// save keeps a finished answer in a file. One that a send refuses is not written.
func (s *server) save(j *job) {
	req := SendRequest{Kind: KindAnswer, Content: j.answer, AllowRules: s.opts.AllowRules}
	if s.spool == nil || s.client.redactor.checkMessage(j.message.FromNode, req) != nil || s.client.scanContent(req) != nil {
		return
	}
	err := s.spool.Save(j.message, j.answer)
	if j.saved = err == nil; !j.saved {
		s.report(j.message, fmt.Errorf("the answer is kept in memory only: %w", err))
	}
}

// discard removes the file of an answer that is delivered. Without the mark the message would be handled again.
func (s *server) discard(k mark) {
	if !k.saved {
		return
	}
	if err := s.spool.Remove(k.message); err != nil {
		s.report(k.message, fmt.Errorf("the answer is delivered, but its file is not removed: %w", err))
	}
}

// resume delivers the answers of an earlier process.
func (s *server) resume(ctx context.Context) {
	answers, err := s.spool.Load()
	if err != nil {
		s.report(MeshMessage{}, err)
	}
	s.resumed = make(map[messageKey]bool)
	for _, a := range answers {
		j := &job{message: a.Message(), slots: s.sends, finished: true, saved: true, answer: a.Text}
		if !s.begin(j.message) {
			continue
		}
		s.resumed[keyOf(j.message)] = true
		s.running.Go(func() {
			if s.acquire(ctx, s.sends) {
				s.process(ctx, j)
				return
			}
			s.leave(ctx, j, context.Cause(ctx))
		})
	}
}
