// These tests send 8 MB through a tunnel and through --intercept, or a gigabyte with
// MESH_TESTS=whole.

package proxy_test

import (
	"bytes"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/internal/test/whole"
)

// text yields bytes for a JSON string, and samples the live heap as it goes.
type text struct {
	left, next int64
	peak       uint64
}

func (r *text) Read(p []byte) (int, error) {
	if r.left == 0 {
		return 0, io.EOF
	}
	if r.left <= r.next {
		r.peak, r.next = max(r.peak, liveHeap()), r.next-sampled
	}
	n := copy(p[:min(int64(len(p)), r.left)], filler)
	r.left -= int64(n)
	return n, nil
}

const sampled = 64 << 20

var filler = bytes.Repeat([]byte("a"), 32<<10)

func liveHeap() uint64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

// Memory must not grow with the volume that passes through.
func TestVolumeNeedsConstantMemory(t *testing.T) { // not parallel: it measures the process
	volume := int64(8 << 20)
	if whole.Tests() {
		volume = 1e9
	}
	const host, bound = "volume.example.com", 16 << 20
	answer := &text{}
	serve(t, host, func(w http.ResponseWriter, r *http.Request) {
		n, err := io.Copy(io.Discard, r.Body)
		assert.NoError(t, err)
		assert.Greater(t, n, volume)
		_, _ = io.WriteString(w, `{"content":"`)
		_, _ = io.Copy(w, answer)
		_, _ = io.WriteString(w, `",`+chatAnswer[1:])
	})
	for name, s := range map[string]*started{"tunnel": startTunnels(t), "intercept": startTunnels(t, host)} {
		client := s.client(t, false)
		before := liveHeap()
		question := &text{left: volume, next: volume / 2}
		*answer = *question
		res, err := client.Post("https://"+host+"/v1/chat/completions", "application/json", io.MultiReader(
			strings.NewReader(`{"model":"gpt-4o","messages":"`), question, strings.NewReader(`"}`)))
		require.NoError(t, err)
		n, err := io.Copy(io.Discard, res.Body)
		require.NoError(t, err)
		res.Body.Close()
		assert.Greater(t, n, volume)
		peak := max(question.peak, answer.peak)
		require.NotZero(t, peak)
		t.Logf("%s: %d bytes each way, %d bytes held at most", name, volume, int64(peak)-int64(before))
		assert.Less(t, peak, before+bound, name)
		client.CloseIdleConnections()
		if name == "intercept" {
			require.Len(t, s.records, 1)
			assert.EqualValues(t, "0.0075", s.records[0].USD)
		}
	}
}
