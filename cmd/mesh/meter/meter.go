// Package meter is mesh meter: it runs a program behind a proxy that counts its provider
// calls, and prints their cost. With --listen the proxy runs without a program.
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

// New returns the command mesh meter.
func New(a *app.App) *cobra.Command {
	o := &Options{App: a}
	cmd := &cobra.Command{
		Use:   "meter [flags] -- COMMAND [ARG...]",
		Short: "Run a command and count its calls to model providers, and what they cost",
		Long: `Meter runs COMMAND with OPENAI_BASE_URL, ANTHROPIC_BASE_URL and GOOGLE_GEMINI_BASE_URL set to a proxy on this machine, which
forwards the calls and counts them. At the end it prints the table of mesh usage to stderr, with the calls, tokens and cost of each
model. A call whose cost is not known is unpriced, and the reason follows. A warning names the first model that is newer than the
price table, which mesh update replaces.

COMMAND also gets this proxy in HTTPS_PROXY. Connections to other hosts pass through it unread, and through the proxy that HTTPS_PROXY
named before. Those to hosts that serve models are printed with their bytes: their calls are not counted, and the total is "at least".
Programs of Node are led to the proxy, so that their calls are counted without a base URL. On Linux, connections of programs that ignore
the variable are found by the addresses of the hosts, and printed, too. On other systems they are not known.

With --intercept, connections to the hosts of providers, and of --host, are decrypted and their calls are counted, whatever base URL a
program uses. The certificate authority for it exists for this run and at most 24 hours; its key is in memory only, and it can certify
no other hosts. The variables of roots, such as SSL_CERT_FILE and NODE_EXTRA_CA_CERTS, name files with its certificate, which are
removed at the end. The variables of base URLs are left as they are.

A variable that is already set names the upstream, such as https://api.deepseek.com/v1 in OPENAI_BASE_URL. Calls to OpenRouter, Bedrock,
Vertex and Azure are recorded with their platform; those to Azure need --azure for a cost. Calls to a host that is no provider's and no
platform's are unpriced, unless --host names the API and the prices that it has, or --upstream gives it the prices of a provider. --host also names
private endpoints of platforms; a host without calls is printed. --prices has the prices of a NAME of --host. COMMAND's own keys pass through and are neither stored nor logged. Streams are passed on without delay.
WebSockets are refused with 426, so that COMMAND falls back to HTTP; those of Node are unpriced calls without --intercept.

With --budget, calls are answered with 402 once the budget is used up; calls under way may exceed it. A budget such as 5 is for one run of
mesh meter, which under mesh serve is one question. 5/day, 100/month and 2/day/label:user begin again at midnight UTC. With --log, the calls
of earlier runs and of other programs in the folder count, too. These programs see each other's calls within a second, and can together
exceed the budget by what they spend in that time. A warning is printed when 80 % are spent. Lines of the folder that cannot be read do not
count: one warning is printed for all of them, and with --strict all calls are refused. A stream that breaks off counts as what it costs at
least. Other unpriced calls do not count: those of a model without a price, and OpenAI's chat streams without --stream-usage. With
--per-call, that amount is set aside for each call while it runs, and every unpriced call counts as at least that, also one to
another host. A warning names each model with unpriced calls. The lines after the table have what is left, and the numbers of calls that
do not count and that were refused.

Calls with the login of a subscription, such as those of Claude Code and Codex without a key, are counted at list prices, which are not
charged: the total shows their part. They count towards --budget, unless --charges-only is given.

--stream-usage changes the streams of chat completions: each ends with an event that has the usage and no choices. --log writes a line for
each call to a new file in a folder, for mesh usage. Records that cannot be written, as on a full disk, are counted at the end and do not
stop COMMAND. Calls have the label project: the name of the git work tree, else of the working directory. --no-project turns it off, and
--label project=NAME replaces it. Under mesh serve, the calls have the labels message, from, thread (its name, else its id) and thread_id.

--listen is the same meter without COMMAND, for a machine or a container. It writes the variables for other programs, as export lines for
a shell, to the file of --env, which only you can read, else to the output. Their secret is kept in the file .mesh-meter-secret of the folder of
--log, which only its owner can read, so that the variables stay valid after a restart; other users cannot use the meter. It adds no label project and sets no NODE_OPTIONS. It ends on SIGTERM or ^C
after the calls that run, and at once with a second signal.

With -o json, the last line on stderr is an object with the table, what was not counted, and the budgets.

The exit status is that of COMMAND. ^C reaches COMMAND from the terminal; SIGTERM, SIGHUP, SIGQUIT and SIGABRT are passed on to it.`,
		Example: "  mesh meter -- python3 agent.py\n  mesh meter --budget 5 --per-call 0.05 --label job=nightly -- node agent.mjs\n  mesh meter --budget 5/day --budget 100/month --log ~/calls -- node agent.mjs\n  mesh meter --listen 127.0.0.1:8788 --log ~/calls --env ~/.mesh-meter.env",
		Args:    o.args,
		RunE: func(cmd *cobra.Command, command []string) error {
			o.command = command
			return run(cmd.Context(), o)
		},
	}
	cmd.Flags().SetInterspersed(false) // the flags behind COMMAND are its own
	cmd.Flags().StringArrayVar(&o.budgets, "budget", nil, "refuse calls after this many US dollars: 5 in this run, or 5/day, 100/month or 2/day/label:user for each value of a label, with the calls in the folder of --log; repeatable")
	cmd.Flags().StringVar(&o.perCall, "per-call", "", "US dollars of each --budget that are set aside for each call, and that an unpriced call costs")
	cmd.Flags().BoolVar(&o.streamUsage, "stream-usage", false, "request the usage in chat streams of OpenAI, which send none by themselves")
	cmd.Flags().StringVar(&o.log, "log", "", "folder for calls files")
	cmd.Flags().StringVar(&o.listen, "listen", "", "run without COMMAND on this address, 127.0.0.1:PORT, until SIGTERM or ^C, and print the variables to set; needs --log")
	cmd.Flags().StringVar(&o.env, "env", "", "file for the variables of --listen, which only you can read")
	cmd.Flags().StringArrayVar(&o.labels, "label", nil, "label of all calls, as NAME=VALUE; repeatable")
	cmd.Flags().BoolVar(&o.chargesOnly, "charges-only", false, "do not count calls of a subscription, which are not charged, towards --budget")
	cmd.Flags().BoolVar(&o.strict, "strict", false, "refuse all calls if a line of the folder of --log cannot be read; needs a --budget with a period")
	cmd.Flags().BoolVar(&o.noProject, "no-project", false, "leave out the label project, which is the name of the git work tree, else of the working directory")
	cmd.Flags().StringArrayVar(&o.upstreams, "upstream", nil, "base URL of a provider's API, as PROVIDER=URL, such as openai=https://gateway.example.com/v1; repeatable")
	cmd.Flags().BoolVar(&o.intercept, "intercept", false, "decrypt the connections to providers with a certificate for this run, and count their calls")
	cmd.Flags().StringArrayVar(&o.hosts, "host", nil, "another host, as HOST=API, HOST:PORT=API or HOST=API:NAME, where API is the provider whose API it has (or converse, invoke, cohere, ollama) and NAME who bills it, such as api.groq.com=openai:groq; or a private endpoint, as HOST=PLATFORM or HOST=PLATFORM:REGION, such as llm.example.com=bedrock:us-east-1; for base URLs, --intercept and programs of Node; repeatable")
	cmd.Flags().StringVar(&o.azure, "azure", "", "kind of the deployments on Azure: global, data-zone or regional; without it their calls are unpriced")
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

// project returns the directory name of the git work tree or folder. It is "" for a root,
// and for a name with a credential, since each record would have it.
func project(folder string) string {
	if physical, err := filepath.EvalSymlinks(folder); err == nil { // as git sees it
		folder = physical
	}
	tree := folder
	for at := folder; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, ".git")); err == nil { // a folder, or a file in a linked work tree
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
			return nil, nil, exit.Usagef("--azure %q must be global, data-zone or regional: the kind of the deployments that the calls are for", o.azure)
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
		return e, exit.Usagef("--host %s: NAME %q must be a provider or a name of yours: at most 64 lower-case letters, digits, dots and hyphens", host, name)
	}
	return e, nil
}
