package prices_test

func ptr[T any](v T) *T { return &v }

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }
