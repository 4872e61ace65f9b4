package calls_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// environment for a process that writes a calls file: its directory, and optionally the
// largest file size
const (
	envFolder = "METER_TEST_FOLDER"
	envLimit  = "METER_TEST_LIMIT"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(envFolder); dir != "" {
		limitFiles(os.Getenv(envLimit))
		if err := writeCalls(dir, os.Stdout); err != nil {
			fmt.Println("error:", err)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// written is the number of records that each process writes.
const written = 1000

// writeCalls writes records, and acknowledges each with a line on out.
func writeCalls(dir string, out io.Writer) error {
	log, err := calls.OpenLog(dir)
	if err != nil {
		return err
	}
	for i := range written {
		log.Record(calls.Record{
			ID: fmt.Sprintf("%d-%d", os.Getpid(), i), Provider: models.OpenAI, Model: "gpt-4o", Time: time.Date(2026, 11, 22, 0, 0, i%3, 0, time.UTC),
			USD: "0.000001", Labels: map[string]string{"text": strings.Repeat("x", i%500)},
		})
		if log.Err() == nil {
			fmt.Fprintln(out, i)
		}
	}
	return log.Close()
}

// process runs this test binary as a program that writes calls.
func process(ctx context.Context, t *testing.T, dir, limit string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	program, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(ctx, program)
	cmd.Env = append(os.Environ(), envFolder+"="+dir, envLimit+"="+limit)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	return cmd, bufio.NewScanner(out)
}

func TestKilledProcessesLoseNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var mu sync.Mutex
	acknowledged := map[string]bool{}
	var group sync.WaitGroup
	for range 8 {
		cmd, out := process(t.Context(), t, dir, "")
		last := rand.IntN(written)
		group.Go(func() {
			for out.Scan() {
				n, err := strconv.Atoi(out.Text())
				if !assert.NoError(t, err, out.Text()) {
					break
				}
				mu.Lock()
				acknowledged[fmt.Sprintf("%d-%d", cmd.Process.Pid, n)] = true
				mu.Unlock()
				if n == last {
					assert.NoError(t, cmd.Process.Kill())
				}
			}
			_ = cmd.Wait()
		})
	}
	group.Wait()
	records, errs := collect(calls.Read(calls.Options{Recorded: true}, dir))
	assert.LessOrEqual(t, len(errs), 8, "at most the last line of each process")
	read := map[string]bool{}
	for _, r := range records {
		assert.False(t, read[r.ID], "duplicate %s", r.ID)
		read[r.ID] = true
	}
	for id := range acknowledged {
		assert.True(t, read[id], "%s was lost", id)
	}
}
