// Kills processes that write calls files, and checks what calls.Sum and DuckDB read.

package main

import (
	"bufio"
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
)

// writers is the number of concurrent processes.
const writers = 8

// perWriter returns how many records each process has to write.
func perWriter() int {
	if testing.Short() {
		return 2000
	}
	return 100_000
}

// Environment variables for a process that writes a calls file.
const (
	envFolder  = "WAREHOUSE_TEST_FOLDER"
	envName    = "WAREHOUSE_TEST_NAME"
	envRecords = "WAREHOUSE_TEST_RECORDS"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(envFolder); dir != "" {
		if err := write(dir, os.Getenv(envName), os.Stdout); err != nil {
			fmt.Println("error:", err)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// write writes records to a calls.Log, and acknowledges each with a line on out.
func write(dir, name string, out io.Writer) error {
	n, err := strconv.Atoi(os.Getenv(envRecords))
	if err != nil {
		return err
	}
	log, err := calls.OpenLog(dir)
	if err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(rand.Uint64(), 0))
	for i := range n {
		r := record(random, i)
		r.ID = name + "-" + strconv.Itoa(i)
		r.Time = time.Date(2026, 11, 20+random.IntN(3), 0, 0, 0, random.IntN(1e9), time.UTC) // on as many days as a Log keeps open
		log.Record(r)
		if err := log.Err(); err != nil {
			return err
		}
		fmt.Fprintln(out, i)
	}
	return log.Close()
}

// Processes are killed at random moments while they write, and replaced until all records
// are acknowledged. No acknowledged record may be lost, no record may be there twice, and
// calls.Sum and DuckDB must agree.
func TestKilledProcesses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var acknowledged [writers][]int // by process
	var group sync.WaitGroup
	for i := range acknowledged {
		group.Go(func() { acknowledged[i] = writeAll(t, dir, strconv.Itoa(i)) })
	}
	group.Wait()

	processes, read, torn := checkRecords(t, dir, &acknowledged)
	t.Logf("%d of %d processes were killed; %d records, of which %d were acknowledged; %d torn lines", processes-writers, processes, read, writers*perWriter(), torn)
	var out strings.Builder
	differences, err := runFiles(t.Context(), &out, io.Discard, dir)
	require.NoError(t, err)
	assert.Zero(t, differences, out.String())
	assert.Contains(t, out.String(), fmt.Sprintf("calls: %d,", read))
	t.Log(out.String())
}

// writeAll runs processes one after another until all the writer's records are
// acknowledged. It returns each process's count.
func writeAll(t *testing.T, dir, name string) (acknowledged []int) {
	t.Helper()
	for left := perWriter(); left > 0 && !t.Failed(); {
		n := writeSome(t, dir, name+"-"+strconv.Itoa(len(acknowledged)), left)
		acknowledged = append(acknowledged, n)
		left -= n
	}
	return acknowledged
}

// writeSome runs a process until it has written n records or is killed, and returns how
// many it acknowledged. Acknowledgments written before the kill may be read later.
func writeSome(t *testing.T, dir, name string, n int) (acknowledged int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), envFolder+"="+dir, envName+"="+name, envRecords+"="+strconv.Itoa(n))
	pipe, err := cmd.StdoutPipe()
	if !assert.NoError(t, err) || !assert.NoError(t, cmd.Start()) {
		return 0
	}
	last := 1 + rand.IntN(perWriter()/3) // the record at which it's killed
	for out := bufio.NewScanner(pipe); out.Scan(); {
		if !assert.Equal(t, strconv.Itoa(acknowledged), out.Text()) {
			break
		}
		if acknowledged++; acknowledged == last {
			assert.NoError(t, cmd.Process.Kill())
		}
	}
	_ = cmd.Wait()
	return acknowledged
}

// checkRecords reads all records. It returns how many processes, records and torn lines
// there were.
func checkRecords(t *testing.T, dir string, acknowledged *[writers][]int) (processes, read, torn int) {
	t.Helper()
	var found [writers][]map[int]bool
	for i, all := range acknowledged {
		found[i] = make([]map[int]bool, len(all))
		processes += len(all)
	}
	for r, err := range calls.Read(calls.Options{Recorded: true}, dir) {
		if err != nil {
			torn++
			continue
		}
		read++
		var writer, process, i int
		_, err := fmt.Sscanf(r.ID, "%d-%d-%d", &writer, &process, &i)
		require.NoError(t, err, r.ID)
		records := found[writer][process]
		if records == nil {
			records = make(map[int]bool)
			found[writer][process] = records
		}
		require.False(t, records[i], "%s is there twice", r.ID)
		records[i] = true
	}
	for writer, all := range acknowledged {
		for process, n := range all {
			for i := range n {
				require.True(t, found[writer][process][i], "%d-%d-%d was lost", writer, process, i)
			}
		}
	}
	assert.LessOrEqual(t, torn, processes, "at most each process's last line")
	return processes, read, torn
}
