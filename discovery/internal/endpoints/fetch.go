package endpoints

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// FetchedOnce is the time for which calls that fetch one response are one call.
const FetchedOnce = 24 * time.Hour

// Fetches reports whether a path is that of the stored response with an id, which several programs may fetch.
func Fetches(path, id string) bool {
	_, fetched, found := strings.Cut(path, "/responses/")
	return found && id != "" && strings.HasPrefix(fetched, id)
}

// Fetch is a call that fetched a stored response.
type Fetch[T any] struct {
	ID   string
	Time time.Time
	Call T
}

// FirstFetches returns the first fetch of each response, and the first one of each later day.
func FirstFetches[T any](all []Fetch[T]) []Fetch[T] {
	slices.SortStableFunc(all, func(a, b Fetch[T]) int { return cmp.Or(cmp.Compare(a.ID, b.ID), a.Time.Compare(b.Time)) })
	var first Fetch[T]
	return slices.DeleteFunc(all, func(f Fetch[T]) bool {
		if f.ID == first.ID && f.Time.Sub(first.Time) < FetchedOnce {
			return true
		}
		first = f
		return false
	})
}
