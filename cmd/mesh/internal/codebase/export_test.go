package codebase

// Excludes reports whether Options.Exclude has a path.
func Excludes(s *Selection, path string) bool { return s.excludes(split(path), nil, false) }
