package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/.ci/bench/measure"
)

// bench runs programs in the input directory.
type bench struct {
	ctx      context.Context
	programs programs
	inputs   string
	upstream string
}

// With less processor time than shortest, noise would decide.
const shortest = 100 * time.Millisecond

const heading = "path                                          CPU                     allocations                   bytes\n"

// compareAll prints a line per path and returns the slower ones.
func (b *bench) compareAll(chosen *regexp.Regexp) (slower []string, err error) {
	for _, p := range b.paths() {
		if !chosen.MatchString(p.name) {
			continue
		}
		var result verdict
		if result, err = b.compare(p); err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		if result == fails {
			slower = append(slower, p.name)
		}
	}
	return slower, nil
}

func (b *bench) compare(p path) (verdict, error) {
	now, err := b.run(b.programs.head, p)
	if err != nil {
		return fails, err
	}
	if b.programs.base[p.program] == "" {
		printNew(p.name, now, "")
		return passes, nil
	}
	before, err := b.run(b.programs.base, p)
	if err != nil {
		reason, _, _ := strings.Cut(err.Error(), "\n")
		printNew(p.name, now, ": at the other commit "+reason)
		return passes, b.ctx.Err()
	}
	p.count *= longer(min(before.CPU, now.CPU))
	all, result, err := decide(func(count int) ([]pair, error) { return b.runPairs(p, count) })
	if err != nil {
		return fails, err
	}
	printPairs(p.name, all, result)
	return result, nil
}

// longer returns the factor for the next count after a run took cpu nanoseconds.
func longer(cpu int64) int {
	return int(math.Ceil(float64(shortest) / float64(max(cpu, 1))))
}

// runPairs runs both programs in turn: other work on the machine then hits both.
func (b *bench) runPairs(p path, count int) (all []pair, err error) {
	for i := range count {
		var one pair
		for _, first := range []bool{i%2 == 0, i%2 != 0} {
			programs, cost := b.programs.base, &one.before
			if !first {
				programs, cost = b.programs.head, &one.now
			}
			if *cost, err = b.run(programs, p); err != nil {
				return nil, err
			}
		}
		all = append(all, one)
	}
	return all, nil
}

// run runs a path's program once. The user's environment must not change what it does.
func (b *bench) run(programs map[string]string, p path) (cost measure.Cost, err error) {
	args, count := p.arguments()
	result := filepath.Join(b.inputs, "result.json")
	cmd := exec.CommandContext(b.ctx, programs[p.program], args...)
	cmd.Dir = b.inputs
	cmd.Env = []string{
		"HOME=" + b.inputs, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + b.inputs, "GOMAXPROCS=2",
		measure.ResultFile + "=" + result, measure.CountVariable + "=" + strconv.Itoa(count),
	}
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Run(); err != nil {
		return cost, fmt.Errorf("%w\n%s", err, bytes.TrimSpace(errs.Bytes()))
	}
	text, err := os.ReadFile(result)
	if err != nil {
		return cost, err
	}
	err = json.Unmarshal(text, &cost)
	if p.load {
		cost.Count = int64(p.count)
	}
	return cost, err
}

func executable() string {
	name, err := os.Executable()
	check(err)
	return name
}
