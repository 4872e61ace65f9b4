// Command weight counts shipped Go tokens by package, for the SDK and the command, next
// to another commit.
//
//	go run ./.ci/weight [-sums] [COMMIT]
//
// Without COMMIT it is the last tag. Tests, generated files, examples and comments do not
// count. The exit status is always 0: whether growth is right is for people to decide.
package main

import (
	"archive/tar"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"go/scanner"
	"go/token"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
)

// directory -> tokens
type weights map[string]int

func main() {
	sums := flag.Bool("sums", false, "print the two sums only")
	flag.Parse()
	now, err := workTree()
	if err != nil {
		fmt.Println("weight:", err)
		return
	}
	before, name, err := commit(flag.Arg(0))
	if err != nil {
		fmt.Println("weight: nothing to compare with:", err)
		before = now
	} else {
		fmt.Println("tokens, and the change since", name)
	}
	for _, module := range []string{"SDK", "command"} {
		now, before := now.of(module), before.of(module)
		all := maps.Clone(now)
		maps.Copy(all, before)
		for _, folder := range slices.Sorted(maps.Keys(all)) {
			if !*sums {
				printLine(now[folder], before[folder], folder)
			}
		}
		printLine(now.sum(), before.sum(), module)
	}
}

func printLine(now, before int, name string) {
	change := ""
	if now != before {
		change = fmt.Sprintf("%+d", now-before)
	}
	fmt.Printf("%8d %8s  %s\n", now, change, name)
}

func (w weights) of(module string) weights {
	part := weights{}
	for folder, tokens := range w {
		if strings.HasPrefix(folder+"/", "cmd/mesh/") == (module == "command") {
			part[folder] = tokens
		}
	}
	return part
}

func (w weights) sum() (sum int) {
	for _, tokens := range w {
		sum += tokens
	}
	return sum
}

// workTree counts the files of the work tree, also those that are not committed.
func workTree() (weights, error) {
	names, err := exec.Command("git", "ls-files", "--cached", "--others", "--exclude-standard", "--deduplicate", "*.go").Output()
	w := weights{}
	for name := range strings.Lines(string(names)) {
		name = strings.TrimSuffix(name, "\n")
		if text, err := os.ReadFile(name); err == nil { // a file that was removed is listed until that is committed
			w.add(name, text)
		}
	}
	return w, err
}

// commit counts a commit's files, and returns its name. "" is the last tag.
func commit(name string) (weights, string, error) {
	if name == "" {
		tag, err := exec.Command("git", "describe", "--tags", "--abbrev=0", "--match=v*").Output()
		if err != nil {
			return nil, "", errors.New("there is no tag; set BASE to a commit")
		}
		name = strings.TrimSpace(string(tag))
	}
	archive, err := exec.Command("git", "archive", "--format=tar", "--end-of-options", name).Output()
	if err != nil {
		return nil, "", fmt.Errorf("%s is not a commit in this repository", name)
	}
	w := weights{}
	files := tar.NewReader(bytes.NewReader(archive))
	for {
		header, err := files.Next()
		if err != nil {
			return w, name, nil // the end: git writes no broken archive
		}
		text, _ := io.ReadAll(files)
		w.add(header.Name, text)
	}
}

// add counts a file, if it is shipped.
func (w weights) add(name string, text []byte) {
	internal := slices.ContainsFunc([]string{"examples/", ".ci/", "internal/test/", "cmd/mesh/internal/test/"}, func(folder string) bool { return strings.HasPrefix(name, folder) })
	if internal || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, ".gen.go") || strings.Contains(name, "testdata/") {
		return
	}
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile(name, -1, len(text)), text, nil, 0)
	for {
		_, tok, literal := s.Scan()
		if tok == token.EOF {
			return
		}
		if tok != token.SEMICOLON || literal != "\n" { // which the end of a line implies
			w[path.Dir(name)]++
		}
	}
}
