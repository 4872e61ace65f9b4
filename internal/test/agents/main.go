// Command agents runs programs that call model providers behind mesh meter, and prints a
// table of the calls that were counted:
//
//	agents -mesh PATH -npm DIR -node PATH[,PATH]
//
// The providers are a local server with its own ledger.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"maps"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/internal/test/internet"
)

var (
	mesh    = flag.String("mesh", "mesh", "the mesh command")
	npm     = flag.String("npm", "", "directory that contains node_modules")
	nodes   = flag.String("node", "node", "comma-separated node paths")
	only    = flag.String("run", "", "run only programs that match this regular expression")
	verbose = flag.Bool("v", false, "show program output")
)

type program struct {
	name, version string
	command, env  []string
	direct        bool // uses no proxy
}

type result struct {
	made, counted int
	tokens        int64 // according to the records
	bypassed      bool
	status        int
}

func main() {
	flag.Parse()
	if url := flag.Arg(0); url != "" { // the table's Go program
		if err := call(url); err != nil {
			log.Fatal(err)
		}
		return
	}
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() (err error) {
	for _, path := range []*string{mesh, npm} { // programs run in their own directories
		if *path != "" {
			if *path, err = filepath.Abs(*path); err != nil {
				return err
			}
		}
	}
	fmt.Println("| program | version | default mode | `--intercept` |")
	fmt.Println("|---|---|---|---|")
	for _, p := range programs() {
		if !regexp.MustCompile(*only).MatchString(p.name) {
			continue
		}
		row := []string{p.name, p.version}
		for _, mode := range [][]string{nil, {"--intercept"}} {
			r, err := p.run(mode)
			if err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
			row = append(row, r.String())
		}
		fmt.Println("| " + strings.Join(row, " | ") + " |")
	}
	return nil
}

func (r result) String() string {
	text := fmt.Sprintf("%d of %d", r.counted, r.made)
	if r.tokens != int64(r.counted)*(input+output) {
		text += fmt.Sprintf(", %d tokens", r.tokens)
	}
	switch {
	case r.bypassed:
		text += ", printed as not counted"
	case r.counted < r.made:
		text += ", NOT SEEN"
	}
	if r.status != 0 {
		text += fmt.Sprintf(", exit %d", r.status)
	}
	return text
}

// run runs a program with a temporary home directory.
func (p program) run(flags []string) (r result, err error) {
	home, err := os.MkdirTemp("", "agents-")
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(home)
	ledger := &fake{calls: map[string]int{}}
	i, err := internet.Start(filepath.Join(home, "roots.pem"), ledger)
	if err != nil {
		return r, err
	}
	defer i.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	folder := filepath.Join(home, "calls")
	server := httptest.NewServer(ledger)
	defer server.Close()
	flags, command := p.lead(server, flags)
	args := append(append([]string{"meter", "--stream-usage", "--log", folder}, flags...), "--")
	cmd := exec.CommandContext(ctx, *mesh, append(args, command...)...)
	cmd.Env = append(environment(home, i), p.env...)
	cmd.Dir = home
	var errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = io.Discard, &errs
	if *verbose {
		cmd.Stdout, cmd.Stderr = os.Stderr, io.MultiWriter(os.Stderr, &errs)
	}
	_ = cmd.Run()
	r.status = cmd.ProcessState.ExitCode()
	for n := range maps.Values(ledger.calls) {
		r.made += n
	}
	r.bypassed = strings.Contains(errs.String(), "\nnot counted: ")
	if *verbose {
		fmt.Fprintln(os.Stderr, p.name, flags, "ledger", ledger.calls, "others", ledger.others, "tunnels", i.Opened())
	}
	return r, r.read(folder)
}

func (r *result) read(folder string) error {
	groups, err := calls.Sum(calls.Options{By: [][]string{{calls.ByProvider}}}, folder)
	if err != nil {
		return err
	}
	for _, g := range groups[0] {
		r.counted += g.Calls
		r.tokens += g.Usage.Input + g.Usage.Output
	}
	return nil
}

func self() string {
	path, _ := os.Executable()
	return path
}

// environment is a user's environment with keys for all providers, behind a proxy that
// has its own certificate authority.
func environment(home string, i *internet.Internet) []string {
	env := []string{
		"HOME=" + home, "PATH=" + os.Getenv("PATH"), "NODE_EXTRA_CA_CERTS=" + i.Roots, "CURL_CA_BUNDLE=" + i.Roots, "TMPDIR=" + home,
		"OPENAI_API_KEY=example", "CODEX_API_KEY=example", "ANTHROPIC_API_KEY=sk-ant-example", "GEMINI_API_KEY=example", "GOOGLE_API_KEY=example",
		"GOOGLE_GENERATIVE_AI_API_KEY=example", "XAI_API_KEY=example", "DEEPSEEK_API_KEY=example", "NO_COLOR=1",
	}
	return append(env, i.Env()...)
}

func programs() []program {
	list := []program{
		{name: "curl", version: version("curl", "--version"), command: []string{
			"curl", "-sS", "-o", "/dev/null", "-H", "Content-Type: application/json", "-d", `{"model":"grok-4","messages":[]}`, "https://api.x.ai/v1/chat/completions",
		}},
		{name: "Go, net/http", version: version("go", "env", "GOVERSION"), command: []string{self(), "https://api.x.ai/v1/chat/completions"}},
	}
	if *npm == "" {
		return list
	}
	folder := filepath.Join(*npm, "node_modules")
	scripts, _ := filepath.Glob(filepath.Join(*npm, "programs", "*.mjs"))
	list = append(list, direct(filepath.Join(*npm, "programs"))...)
	for _, node := range strings.Split(*nodes, ",") {
		for _, script := range scripts {
			name, _ := packageOf(script)
			list = append(list, program{
				name: name + ", Node " + strings.TrimPrefix(version(node, "--version"), "v"), version: installed(folder, name), command: []string{node, script},
			})
		}
	}
	return append(list, agents(folder, strings.Split(*nodes, ","))...)
}
