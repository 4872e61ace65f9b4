package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// sources are the directories in .ci/bench that become programs; "command" becomes mesh.
var sources = []string{"client", "command", "meter", "prices", "scan"}

// programs maps a commit's directories to executables.
type programs struct{ base, head map[string]string }

// buildBoth builds the work tree and commit base, both with the work tree's .ci/bench, so
// they do the same. If base can't build that, because a name has changed, it uses its own
// files.
func buildBoth(ctx context.Context, base, folder string) (programs, error) {
	both := programs{map[string]string{}, map[string]string{}}
	here, err := os.Getwd()
	if err != nil {
		return both, err
	}
	tree := filepath.Join(folder, "base")
	// Hooks set variables that would redirect git.
	if out, err := git(ctx, "worktree", "add", "--detach", "--quiet", tree, base); err != nil {
		return both, fmt.Errorf("git worktree: %w: %s", err, out)
	}
	defer func() { _, _ = git(context.WithoutCancel(ctx), "worktree", "remove", "--force", tree) }()
	_ = os.Remove(filepath.Join(tree, ".ci/bench")) // a script in old commits; a directory stays
	for _, name := range sources {
		both.head[name] = filepath.Join(folder, name+"-now")
		if err := build(ctx, here, here, name, both.head[name]); err != nil {
			return both, err
		}
		old := filepath.Join(folder, name+"-base")
		if err = build(ctx, tree, here, name, old); err != nil {
			if build(ctx, tree, tree, name, old) != nil {
				fmt.Fprintf(os.Stderr, "bench: not built at %s: %v\n", base, err)
				continue
			}
		}
		both.base[name] = old
	}
	return both, nil
}

// build builds a directory in .ci/bench, with files from the tree from.
func build(ctx context.Context, tree, from, name, program string) error {
	files := map[string]string{}
	target := "./.ci/bench/" + name
	for _, source := range []string{"measure", name} {
		found, err := filepath.Glob(filepath.Join(from, ".ci/bench", source, "*.go"))
		if err != nil || len(found) == 0 {
			return fmt.Errorf("no .ci/bench/%s", source)
		}
		for _, file := range found {
			files[filepath.Join(tree, ".ci/bench", source, filepath.Base(file))] = file
			if source == "command" {
				target = "./cmd/mesh"
				files[filepath.Join(tree, "cmd/mesh", filepath.Base(file))] = file
			}
		}
	}
	overlay, err := json.Marshal(map[string]any{"Replace": files})
	if err != nil {
		return err
	}
	if err := os.WriteFile(program+".json", overlay, 0o600); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-overlay", program+".json", "-o", program, target)
	cmd.Dir = tree
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build %s: %w\n%s", target, err, bytes.TrimSpace(out))
	}
	return nil
}

// git runs git in this repository.
func git(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); !gitVariables()[name] {
			cmd.Env = append(cmd.Env, variable)
		}
	}
	return cmd.CombinedOutput()
}

// gitVariables has the variables that a hook sets, which would redirect git.
var gitVariables = sync.OnceValue(func() map[string]bool {
	out, _ := exec.Command("git", "rev-parse", "--local-env-vars").Output()
	set := map[string]bool{}
	for name := range strings.FieldsSeq(string(out)) {
		set[name] = true
	}
	return set
})
