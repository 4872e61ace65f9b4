package cache_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/internal/cache"
)

func anyAge(int, time.Time) bool { return true }

func TestMapKeepsAValueForEachKey(t *testing.T) {
	t.Parallel()
	var m cache.Map[string, int]
	m.Value("a").Put(1, time.Now())
	m.Value("b").Put(2, time.Now())
	a, _ := m.Value("a").Cached(anyAge)
	b, _ := m.Value("b").Cached(anyAge)
	assert.Equal(t, []int{1, 2}, []int{a, b})

	m.Clear()
	_, found := m.Value("a").Cached(anyAge)
	assert.False(t, found)
}

func TestMapIsBounded(t *testing.T) {
	t.Parallel()
	var m cache.Map[int, int]
	var values []*cache.Value[int]
	for key := range 1000 {
		values = append(values, m.Value(key))
	}
	kept := 0
	for key := 999; key >= 0 && m.Value(key) == values[key]; key-- {
		kept++
	}
	assert.Positive(t, kept)
	assert.LessOrEqual(t, kept, 32)
}

func TestMapDiscardsALoadInProgress(t *testing.T) {
	t.Parallel()
	var m cache.Map[string, int]
	began, end, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		got, _, err := m.Value("a").Get(t.Context(), anyAge, func(context.Context) (int, error) {
			close(began)
			<-end
			return 1, nil
		})
		assert.NoError(t, err)
		assert.Equal(t, 1, got)
	}()
	<-began
	m.Clear()
	close(end)
	<-done
	_, found := m.Value("a").Cached(anyAge)
	assert.False(t, found)
}
