package once_test

import (
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/internal/once"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func TestRecordsOfOneResponseAreOneCall(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		provider string
		id       string
		after    time.Duration
		want     bool // whether it's another call
	}{
		"the same":         {"openai", "resp_1", 0, false},
		"a day before":     {"openai", "resp_1", time.Second - once.Within, false},
		"within a day":     {"openai", "resp_1", once.Within - time.Second, false},
		"a day later":      {"openai", "resp_1", once.Within, true},
		"another id":       {"openai", "resp_2", 0, true},
		"another provider": {"xai", "resp_1", 0, true},
		"without an id":    {"openai", "", 0, true},
	} {
		var seen once.Seen
		at := noon.Add(row.after)
		_, added := seen.Add(once.Key("openai", "resp_1", noon), noon, 7)
		assert.True(t, added, name)
		of, added := seen.Add(once.Key(row.provider, []byte(row.id), at), at, 8)
		assert.Equal(t, row.want, added, name)
		if !row.want {
			assert.Equal(t, 7, of, name)
		}
	}
}

// A reused id counts again every 24 hours.
func TestTheFirstOfALaterDayCounts(t *testing.T) {
	t.Parallel()
	var seen once.Seen
	var added []bool
	for _, hours := range []time.Duration{0, 1, 23, 24, 25, 47, 48} {
		at := noon.Add(hours * time.Hour)
		_, first := seen.Add(once.Key("openai", "resp_1", at), at, 0)
		added = append(added, first)
	}
	assert.Equal(t, []bool{true, false, false, true, false, false, true}, added)
}

// Ollama reuses ids within a day, so its calls are the same only if their times match,
// too.
func TestIDsThatAreNotUnique(t *testing.T) {
	t.Parallel()
	later := noon.Add(time.Millisecond)
	assert.Equal(t, once.Key("openai", "chatcmpl-998", noon), once.Key("openai", "chatcmpl-998", noon.In(time.FixedZone("", 3600))))
	assert.NotEqual(t, once.Key("openai", "chatcmpl-998", noon), once.Key("openai", "chatcmpl-998", later))
	assert.Equal(t, once.Key("openai", "chatcmpl-9981", noon), once.Key("openai", "chatcmpl-9981", later))
}

func TestSeenIsBounded(t *testing.T) {
	t.Parallel()
	seen := once.Seen{Most: 10}
	for key := range uint64(25) {
		seen.Add(key+1, noon, 0)
	}
	for key, forgotten := range map[uint64]bool{10: true, 11: false, 20: false, 25: false} {
		_, added := seen.Add(key, noon, 0)
		assert.Equal(t, forgotten, added, key)
	}
}

func TestWaits(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{
		"/v1/responses/resp_1": true, "/openai/v1/responses/resp_1/cancel": true, "/v1/responses": false, "/v1/responses/": false, "/v1/responses/resp_2": false, "": false,
	} {
		assert.Equal(t, want, once.Fetches(path, "resp_1"), path)
		assert.Equal(t, want, once.Waits(path, "resp_1", true), path)
		assert.True(t, once.Waits(path, "resp_1", false), path)
		assert.False(t, once.Fetches(path, ""), path)
		assert.False(t, once.Waits(path, "", false), path)
	}
}

// Keys are digests. Keys close to 0 or the maximum crowd into one place.
func TestSeenKnowsAllKeys(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for name, next := range map[string]func(i uint64) uint64{
		"random":     func(uint64) uint64 { return max(1, random.Uint64()) },
		"small":      func(i uint64) uint64 { return i + 1 },
		"large":      func(i uint64) uint64 { return math.MaxUint64 - i },
		"descending": func(i uint64) uint64 { return math.MaxUint64 - i<<44 },
	} {
		var seen once.Seen
		var keys []uint64
		for i := range uint64(5000) {
			keys = append(keys, next(i))
			_, added := seen.Add(keys[i], noon, int(i))
			require.True(t, added, name)
		}
		for i, key := range keys {
			of, added := seen.Add(key, noon, 0)
			require.False(t, added, name)
			require.Equal(t, i, of, name)
		}
	}
}

func TestSeenTakesLittleMemory(t *testing.T) { //nolint:paralleltest // it measures
	random := rand.New(rand.NewPCG(1, 2))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var seen once.Seen
	for range 1_000_000 {
		seen.Add(random.Uint64(), noon, 0)
	}
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(&seen)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(25<<20), "allocated in total, freed or not")
}
