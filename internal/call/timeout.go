package call

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"time"
)

// maxTimeouts is the number of timeouts that a response takes at most.
const maxTimeouts = 10

// running is a request while its timeout runs. It is the body of the response, too.
type running struct {
	io.ReadCloser

	ctx     context.Context //nolint:containedctx // of the request
	caller  context.Context //nolint:containedctx // of the caller
	cancel  context.CancelCauseFunc
	timer   *time.Timer // nil without a timeout
	timeout time.Duration
	whole   bool // of Limits.WholeBody
	began   time.Time
}

// begin starts the timeout of a request.
func (l Limits) begin(ctx context.Context) *running {
	r := &running{caller: ctx, timeout: l.Timeout, whole: l.WholeBody, began: time.Now()}
	r.ctx, r.cancel = context.WithCancelCause(ctx)
	if l.Timeout > 0 {
		r.timer = time.AfterFunc(l.Timeout, func() { r.cancel(context.DeadlineExceeded) })
	}
	return r
}

// end ends the context of the request, which frees what is derived from it.
func (r *running) end() {
	if r.timer != nil {
		r.timer.Stop()
	}
	r.cancel(nil)
}

// heard starts the timeout again: the header or bytes of the body have arrived.
func (r *running) heard() {
	if r.timer != nil && !r.whole {
		longest := min(r.timeout, math.MaxInt64/maxTimeouts) * maxTimeouts
		r.timer.Reset(min(r.timeout, longest-time.Since(r.began)))
	}
}

// Read implements io.Reader.
func (r *running) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	if n > 0 {
		r.heard()
	}
	return n, err
}

// waited returns how long the request has taken, in whole timeouts.
func (r *running) waited() time.Duration {
	return max(r.timeout, time.Since(r.began).Truncate(r.timeout))
}

// explain adds the reason to an error that a context caused: the error of the context, which net/http replaces by the cause if
// there is one, and the timeout, so that it is not mistaken for the caller's own deadline.
func (r *running) explain(err error, waited time.Duration) error {
	if err == nil {
		return nil
	}
	err = external(err)
	ended := r.ctx.Err() // before that of the caller, which ends it too and may end at any time
	own := ended != nil && r.caller.Err() == nil
	if own {
		ended = context.DeadlineExceeded
	}
	if ended != nil && !errors.Is(err, ended) {
		err = fmt.Errorf("%w: %w", ended, err)
	}
	if own { // an http.Client's own timeout ends neither
		err = fmt.Errorf("no complete response within %v: %w", waited, err)
	}
	return err
}
