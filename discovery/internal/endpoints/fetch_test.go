package endpoints_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/discovery/internal/endpoints"
)

func TestFetches(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{
		"/v1/responses/resp_1": true, "/openai/v1/responses/resp_1/cancel": true, "/v1/responses": false, "/v1/responses/": false, "/v1/responses/resp_2": false, "": false,
	} {
		assert.Equal(t, want, endpoints.Fetches(path, "resp_1"), path)
		assert.False(t, endpoints.Fetches(path, ""), path)
	}
}

func TestFirstFetches(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	fetch := func(id string, hours, n int) endpoints.Fetch[int] {
		return endpoints.Fetch[int]{ID: id, Time: at.Add(time.Duration(hours) * time.Hour), Call: n}
	}
	var first []int
	for _, f := range endpoints.FirstFetches([]endpoints.Fetch[int]{
		fetch("b", 1, 1), fetch("b", 0, 2), fetch("a", 3, 3), fetch("a", 3, 4), fetch("b", 23, 5), fetch("b", 24, 6), fetch("b", 47, 7),
	}) {
		first = append(first, f.Call)
	}
	assert.Equal(t, []int{3, 2, 6}, first)
	assert.Empty(t, endpoints.FirstFetches[int](nil))
}
