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

	m.Delete(func(key string) bool { return key == "a" })
	_, found := m.Value("a").Cached(anyAge)
	assert.False(t, found)
	_, found = m.Value("b").Cached(anyAge)
	assert.True(t, found)
}

func TestMapIsBounded(t *testing.T) {
	t.Parallel()
	var m cache.Map[int, int]
	kept := func() (count int) {
		m.Delete(func(int) bool { count++; return false })
		return count
	}
	for key := range 1000 {
		m.Value(key)
		assert.LessOrEqual(t, kept(), 32)
	}
	assert.Positive(t, kept())
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
	m.Delete(func(string) bool { return true })
	close(end)
	<-done
	_, found := m.Value("a").Cached(anyAge)
	assert.False(t, found)
}
