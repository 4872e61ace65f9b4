// Command bench compares the speed of the SDK and the command with another commit:
//
//	go run ./.ci/bench [-paths REGEXP] [COMMIT]
//
// Without COMMIT it is the one in .ci/bench-base. Both are built and run in turn, on the
// same inputs. The exit status is 1 if a path is slower than docs/testing.md allows.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
)

func main() {
	calls := flag.Int("load", 0, "make this many calls to OPENAI_BASE_URL; mesh meter runs this program so")
	only := flag.String("paths", "", "compare only the paths that match a `REGEXP`")
	flag.Parse()
	if *calls > 0 {
		check(load(os.Getenv("OPENAI_BASE_URL"), *calls))
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	slower, err := run(ctx, flag.Args(), *only)
	check(err)
	if len(slower) > 0 {
		fmt.Println("\nslower:", strings.Join(slower, ", "))
		fmt.Println("docs/testing.md says how to accept that")
		os.Exit(1)
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(2)
	}
}

// run returns the paths that are slower than at a commit.
func run(ctx context.Context, args []string, only string) ([]string, error) {
	chosen, err := regexp.Compile(only)
	if err != nil {
		return nil, err
	}
	base, err := findCommit(args)
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "bench")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	programs, err := buildBoth(ctx, base, folder)
	if err != nil {
		return nil, err
	}
	upstream := serveUpstream()
	defer upstream.Close()
	bench := &bench{ctx: ctx, programs: programs, inputs: filepath.Join(folder, "inputs"), upstream: upstream.URL}
	if err := writeInputs(bench.inputs); err != nil {
		return nil, err
	}
	fmt.Println("per operation at", base[:12], "→ now")
	fmt.Print(heading)
	return bench.compareAll(chosen)
}

func findCommit(args []string) (string, error) {
	if len(args) > 1 {
		return "", fmt.Errorf("more than one commit")
	}
	name := strings.Join(args, "")
	if name == "" {
		text, err := os.ReadFile(".ci/bench-base")
		if err != nil {
			return "", err
		}
		name = strings.TrimSpace(string(text))
	}
	commit, err := exec.Command("git", "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}").Output()
	if err != nil {
		return "", fmt.Errorf("commit %s is not in this clone; run: git fetch --unshallow, or git fetch origin %s", name, name)
	}
	return strings.TrimSpace(string(commit)), nil
}
