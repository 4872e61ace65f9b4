package calls

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"
)

// maxErrors is the number of errors that a Sum returns.
const maxErrors = 100

// lineErrors are the first errors in the order of the files and lines, which goroutines find in any order.
type lineErrors struct {
	mu    sync.Mutex
	first []lineError
	more  int
}

type lineError struct {
	file, line int
	err        error
}

func (l *lineErrors) add(file int, err error) {
	line := 0 // of a folder or a file that cannot be opened
	var at *LineError
	if errors.As(err, &at) {
		line = at.Line
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.first = append(l.first, lineError{file, line, err}); len(l.first) == 2*maxErrors {
		l.trim()
	}
}

// trim keeps the first errors.
func (l *lineErrors) trim() {
	slices.SortFunc(l.first, func(a, b lineError) int { return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line)) })
	if over := len(l.first) - maxErrors; over > 0 {
		l.first, l.more = l.first[:maxErrors], l.more+over
	}
}

// join returns all errors as one, or nil.
func (l *lineErrors) join() error {
	l.trim()
	var errs []error
	for _, e := range l.first {
		errs = append(errs, e.err)
	}
	if l.more > 0 {
		errs = append(errs, fmt.Errorf("calls: %d more lines cannot be read", l.more))
	}
	return errors.Join(errs...)
}
