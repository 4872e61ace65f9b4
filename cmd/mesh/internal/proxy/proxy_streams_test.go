package proxy_test

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/test/streams"
	"github.com/mesh-gateway/mesh-go/internal/test/whole"
)

// Every recorded stream, with short and long content, passes through unchanged and has
// the same counts as a Stream.
func TestStreamsAreCountedAtAnySize(t *testing.T) {
	t.Parallel()
	for _, recorded := range streams.Recorded(t) {
		t.Run(recorded.Name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			body, piece := "", 1
			p := start(t, func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				mu.Lock()
				defer mu.Unlock()
				w.Header().Set("Content-Type", "text/event-stream")
				for rest := body; rest != ""; rest = rest[min(piece, len(rest)):] {
					_, _ = io.WriteString(w, rest[:min(piece, len(rest))])
				}
			}, []string{string(recorded.Provider) + "=%s"})
			u, err := url.Parse(p.base)
			require.NoError(t, err)
			u.Path = "/" + strings.Split(u.Path, "/")[1] + "/" + string(recorded.Provider)
			n := 0
			recorded.Each(t, whole.Cases(17, 51), func(s streams.Stream, want prices.Response, size int) {
				mu.Lock()
				body, piece = s.Body, size
				mu.Unlock()
				res := do(t, http.MethodPost, u.String()+s.Path(), s.Request)
				require.Equal(t, s.Body, textOf(t, res), "the stream is unchanged")
				n++
				require.Len(t, p.records, n) // recorded before the end is passed on
				streams.Check(t, want, p.records[n-1])
			})
			assert.Empty(t, p.errs.String())
		})
	}
}
