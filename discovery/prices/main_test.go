package prices_test

func ptr[T any](v T) *T { return &v }

// failingWriter fails with err at once.
type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }
