package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// A suite that takes longer hangs. A mutant gets more than minLimit: five times what the suite takes without one.
const (
	firstLimit = 5 * time.Minute
	minLimit   = 10 * time.Second
)

// suite is the tests of one package, built.
type suite struct {
	path, dir, binary, temp string
	limit                   time.Duration
}

// outcome is what became of one mutant.
type outcome struct {
	caught, hung bool
	by           string // the package and the first complaint
	took         time.Duration
}

func (o outcome) String() string {
	switch {
	case o.hung:
		return "hangs in " + o.by
	case o.caught:
		return "caught by " + o.by
	}
	return "SURVIVED"
}

// run runs the tests until the first one fails.
func (s *suite) run(ctx context.Context, mutant string) (outcome, error) {
	// -test.timeout begins with the tests; what hangs before them, in TestMain say, is stopped here, and counts as caught.
	running, stop := context.WithTimeout(ctx, s.limit+minLimit)
	defer stop()
	//nolint:gosec // the binary was built here
	cmd := exec.CommandContext(running, s.binary, "-test.failfast", "-test.paniconexit0", "-test.timeout="+s.limit.String())
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), switchVariable+"="+mutant, "TMPDIR="+s.temp, "PWD="+s.dir)
	cmd.WaitDelay = time.Second // for a child of a test that outlives it
	output, err := cmd.StdoutPipe()
	if err != nil {
		return outcome{}, err
	}
	cmd.Stderr = cmd.Stdout
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return outcome{}, err
	}
	complaint := firstComplaint(output)
	if complaint != "" {
		stop() // the tests that run beside it may take long, or hang
	}
	failed := cmd.Wait()
	return s.outcome(ctx, complaint, failed, time.Since(began))
}

func (s *suite) outcome(ctx context.Context, complaint string, failed error, took time.Duration) (outcome, error) {
	if ctx.Err() != nil {
		return outcome{}, ctx.Err()
	}
	var exit *exec.ExitError
	if failed != nil && complaint == "" && !errors.As(failed, &exit) {
		return outcome{}, failed
	}
	return outcome{ //nolint:nilerr // a test that fails is what we are after
		caught: failed != nil || complaint != "",
		hung:   strings.HasPrefix(complaint, hang),
		by:     fmt.Sprintf("%s %s", s.path, complaint),
		took:   took,
	}, nil
}

// hang is how a test binary ends after -test.timeout.
const hang = "panic: test timed out"

// firstComplaint reads until a test fails, or to the end.
func firstComplaint(output io.Reader) string {
	for lines := bufio.NewReader(output); ; {
		line, err := lines.ReadString('\n')
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "--- FAIL: ") || strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") {
			return line
		}
		if err != nil {
			return ""
		}
	}
}
