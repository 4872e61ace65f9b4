// Package meter implements mesh meter, which runs a program behind a proxy that counts
// its provider calls, and prints their cost. With --listen, the proxy runs without a
// program.
package meter

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/proxy"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/scan"
)

// Options holds the flags of mesh meter.
type Options struct {
	*app.App
	command           []string
	budgets           []string
	perCall           string
	log, listen, env  string
	labels, upstreams []string
	hosts             []string
	azure             string
	streamUsage       bool
	intercept         bool
	noProject         bool
	chargesOnly       bool
	strict            bool
}

// New returns the mesh meter command.
func New(a *app.App) *cobra.Command {
	o := &Options{App: a}
	cmd := &cobra.Command{
		Use:   "meter [flags] -- COMMAND [ARG...]",
		Short: "Run a command, count its calls to model providers and show their cost",
		Long: `Meter runs COMMAND behind a proxy on this machine that counts its calls, and then prints the table of mesh usage to stderr. The proxy's
URL is in OPENAI_BASE_URL, ANTHROPIC_BASE_URL and GOOGLE_GEMINI_BASE_URL. A variable that you set before names the upstream, such as
https://api.deepseek.com/v1 in OPENAI_BASE_URL. COMMAND's keys pass through and are neither stored nor logged; streams aren't delayed.

A call without a known cost is unpriced, and the reason follows. A warning names the first model newer than the price table, which
mesh update replaces. Calls made with a subscription login, such as by Claude Code and Codex without a key, are counted at list prices,
and the total shows their share.

Uncounted calls: COMMAND also gets the proxy in HTTPS_PROXY. Connections to other hosts pass through it unread, and through the proxy
that HTTPS_PROXY named before. If such a host serves models, it's printed with its bytes, and the total is "at least". Node programs
are led to the proxy even without a base URL. On Linux, connections that bypass the proxy are found by the hosts' addresses. With
--intercept, calls count whatever the base URL.

Log: --log writes a line for each call to a new file in a directory, for mesh usage. If a record can't be written, as on a full disk,
COMMAND goes on, and the number is printed at the end. Calls have the label project: the name of the git work tree or working
directory. --label project=NAME replaces it. Under mesh serve, calls also have the labels message, from, thread (its name, or its id)
and thread_id.

With -o json, the last line on stderr is an object with the table, uncounted connections and budgets.

Exit status: COMMAND's. ^C reaches COMMAND from the terminal; SIGTERM, SIGHUP, SIGQUIT and SIGABRT are passed on to it.

See also: mesh help meter-flags (hosts, --intercept, --listen), mesh help budgets.`,
		Example: "  mesh meter -- python3 agent.py\n  mesh meter --budget 5 --per-call 0.05 --label job=nightly -- node agent.mjs\n  mesh meter --budget 5/day --budget 100/month --log ~/calls -- node agent.mjs\n  mesh meter --listen 127.0.0.1:8788 --log ~/calls --env ~/.mesh-meter.env",
		Args:    o.args,
		RunE: func(cmd *cobra.Command, command []string) error {
			o.command = command
			return run(cmd.Context(), o)
		},
	}
	flags := cmd.Flags()
	flags.SetInterspersed(false) // the flags behind COMMAND are its own
	flags.StringArrayVar(&o.budgets, "budget", nil, "stop calls at this `LIMIT`, such as 5 or 5/day (mesh help budgets)")
	flags.StringVar(&o.perCall, "per-call", "", "`USD` of each --budget to set aside for a call")
	flags.BoolVar(&o.streamUsage, "stream-usage", false, "make OpenAI's chat streams report their usage")
	flags.StringVar(&o.log, "log", "", "`DIR` for calls files")
	flags.StringVar(&o.listen, "listen", "", "run without COMMAND on this `ADDRESS`, such as 127.0.0.1:8788")
	flags.StringVar(&o.env, "env", "", "`FILE` for the variables of --listen, readable only by you")
	flags.StringArrayVar(&o.labels, "label", nil, "`LABEL` of all calls, as NAME=VALUE; repeatable")
	flags.BoolVar(&o.chargesOnly, "charges-only", false, "leave subscription calls out of --budget")
	flags.BoolVar(&o.strict, "strict", false, "refuse all calls if --budget can't read a line in --log")
	flags.BoolVar(&o.noProject, "no-project", false, "omit the label project")
	flags.StringArrayVar(&o.upstreams, "upstream", nil, "PROVIDER=`URL` of an API, such as openai=https://llm.example.com/v1")
	flags.BoolVar(&o.intercept, "intercept", false, "decrypt and count all connections to providers")
	flags.StringArrayVar(&o.hosts, "host", nil, "`HOST`=API, as in api.groq.com=openai:groq (mesh help meter-flags)")
	flags.StringVar(&o.azure, "azure", "", "`KIND` of Azure deployments: global, data-zone or regional")
	app.Complete(cmd, "azure", cobra.FixedCompletions([]string{"global", "data-zone", "regional"}, cobra.ShellCompDirectiveNoFileComp))
	app.PricesFlag(o.App, cmd)
	return cmd
}

// callLabels merges message labels (under mesh serve), the project label and --label.
func (o *Options) callLabels() (map[string]string, error) {
	labels := map[string]string{}
	for name, variable := range map[string]string{"message": "MESH_MESSAGE_ID", "from": "MESH_FROM", "thread_id": "MESH_THREAD_ID", "thread": "MESH_THREAD"} {
		labels[name] = os.Getenv(variable)
	}
	if folder, err := os.Getwd(); err == nil && !o.noProject && o.listen == "" { // an error: it was removed
		labels["project"] = project(folder)
	}
	maps.DeleteFunc(labels, func(_, value string) bool { return value == "" })
	for _, flag := range o.labels {
		name, value, ok := strings.Cut(flag, "=")
		if !ok || name == "" {
			return nil, exit.Usagef("--label must be NAME=VALUE")
		}
		if f, found := scan.Find(flag); found {
			return nil, exit.Usagef("--label %s contains a credential, which would be in each record: %s. %s", name, f, f.Rule.Advice)
		}
		labels[name] = value
	}
	return labels, nil
}

// project names dir's git work tree, or else dir. It returns "" for a root, and for
// a name with a credential, which would be in each record.
func project(dir string) string {
	if physical, err := filepath.EvalSymlinks(dir); err == nil { // as git sees it
		dir = physical
	}
	tree := dir
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, ".git")); err == nil { // a directory, or a file in a linked work tree
			tree = at
			break
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	name := filepath.Base(tree)
	if _, secret := scan.Find(name); secret || tree == filepath.Dir(tree) {
		return ""
	}
	return name
}

// endpoints reads --host and --azure. hosts are HOST or HOST:PORT.
func (o *Options) endpoints() (opts []meter.Option, hosts []string, err error) {
	for _, flag := range o.hosts {
		e, err := o.parseHost(flag)
		if err != nil {
			return nil, nil, err
		}
		opts, hosts = append(opts, meter.WithEndpoint(e)), append(hosts, e.Host)
	}
	if o.azure != "" {
		kind := meter.Endpoint{Platform: prices.PlatformAzure, Region: o.azure}
		if !isValid(kind) {
			return nil, nil, exit.Usagef("--azure %q must be the deployment kind: global, data-zone or regional", o.azure)
		}
		opts = append(opts, meter.WithEndpoint(kind))
	}
	return opts, hosts, nil
}

func isValid(e meter.Endpoint) bool {
	_, err := meter.New(meter.WithEndpoint(e))
	return err == nil
}

// platforms can have private endpoints in --host.
var platforms = []prices.Platform{prices.PlatformOpenRouter, prices.PlatformBedrock, prices.PlatformVertex, prices.PlatformAzure}

// parseHost reads HOST=API[:NAME] or HOST=PLATFORM[:REGION]. Errors hide a wrong HOST,
// which may be a URL with a password.
func (o *Options) parseHost(flag string) (meter.Endpoint, error) {
	host, rest, _ := strings.Cut(flag, "=")
	e := meter.Endpoint{Host: host}
	if err := proxy.CheckHost(host); err != nil {
		return e, exit.Usagef("--host must be HOST=API or HOST=API:NAME, as in api.groq.com=openai:groq: HOST %w", err)
	}
	api, name, named := strings.Cut(rest, ":")
	if p := prices.Platform(strings.ToLower(api)); slices.Contains(platforms, p) {
		e.Platform, e.Region = p, name
		if p == prices.PlatformAzure {
			e.Region = cmp.Or(name, o.azure)
		}
		if !isValid(e) {
			return e, exit.Usagef("--host %s: REGION %q must be global, data-zone or regional", host, e.Region)
		}
		return e, nil
	}
	e.API = models.Provider(strings.ToLower(api))
	if !isValid(e) {
		return e, exit.Usagef("--host %s: API %q must be openai, deepseek, anthropic, gemini, xai, converse, invoke, cohere or ollama, or a platform: openrouter, bedrock, vertex or azure", host, api)
	}
	e.Provider = models.Provider(name)
	if !isValid(e) || (named && name == "") {
		return e, exit.Usagef("--host %s: NAME %q must be a provider, or your own name with at most 64 lower-case letters, digits, dots and hyphens", host, name)
	}
	return e, nil
}
