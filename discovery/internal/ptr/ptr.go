// Package ptr has functions for optional values, which are pointers.
package ptr

// Value returns *p, or the zero value.
func Value[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// NonZero returns p, or nil if *p is the zero value, which some sources send for an
// unknown value.
func NonZero[T comparable](p *T) *T {
	var zero T
	if Value(p) == zero {
		return nil
	}
	return p
}

// Of returns a pointer to v, or nil for the zero value.
func Of[T comparable](v T) *T { return NonZero(&v) }

// Copy returns a pointer to a copy of *p, or nil.
func Copy[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}
