package main

import "github.com/spf13/cobra"

// topics are commands that only have help.
func topics() []*cobra.Command {
	return []*cobra.Command{
		{
			Use:   "environment",
			Short: "Environment variables",
			Long: `Mesh reads these variables. Flags and --profile take precedence.

  MESH_NODE             name of this node (--node)
  MESH_GATEWAY_URL      base URL of the gateway (--gateway-url)
  MESH_GATEWAY_TOKEN    gateway token
  MESH_TOKEN_FILE       absolute path to a file with the gateway token (--token-file); replaces MESH_GATEWAY_TOKEN
  MESH_CATALOG_URL      URL of the model catalog
  MESH_PROVIDERS_URL    URL of mesh providers, which must run on this machine
  MESH_TZ               time zone of mesh usage: local, UTC or a name (--tz)
  MESH_PRICES           your own price files, separated as in PATH; --prices replaces them
  NO_COLOR              if set, headers are not bold
  TERM                  dumb turns off bold headers and progress
  XDG_CONFIG_HOME, XDG_CACHE_HOME, XDG_DATA_HOME
                        directories on Linux (mesh help files); the last one on every system
  MESH_FACTS            file or directory with facts; replaces the stored ones
  CLAUDE_CONFIG_DIR, CODEX_HOME, GEMINI_CLI_HOME, OPENCODE_DB
                        where mesh usage --sessions looks for these agents' files

Provider keys:

  models and balances   OPENAI_API_KEY DEEPSEEK_API_KEY ANTHROPIC_API_KEY GEMINI_API_KEY XAI_API_KEY
  prices of Google      GOOGLE_CLOUD_BILLING_API_KEY or GOOGLE_CLOUD_API_KEY
  bills (mesh cost)     OPENAI_ADMIN_KEY ANTHROPIC_ADMIN_KEY, XAI_MANAGEMENT_KEY and XAI_TEAM_ID

If DEEPSEEK_API_KEY is unset, mesh balance reads it from the file at DEEPSEEK_LEGACY_ENV_PATH.

HTTPS_PROXY, HTTP_PROXY and NO_PROXY select the proxy for every request. ALL_PROXY is not supported; mesh meter warns about it.

mesh meter reads OPENAI_BASE_URL, ANTHROPIC_BASE_URL and GOOGLE_GEMINI_BASE_URL, and sets them for its command, with HTTPS_PROXY,
NO_PROXY, NODE_OPTIONS and NODE_USE_ENV_PROXY. With --intercept it sets variables for certificates instead of base URLs: SSL_CERT_FILE,
CURL_CA_BUNDLE, REQUESTS_CA_BUNDLE, AWS_CA_BUNDLE, GIT_SSL_CAINFO, DENO_CERT, GRPC_DEFAULT_SSL_ROOTS_FILE_PATH, NODE_EXTRA_CA_CERTS,
and, if they are set, CARGO_HTTP_CAINFO, CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE, CODEX_CA_CERTIFICATE, HTTPLIB2_CA_CERTS, NIX_SSL_CERT_FILE
and PIP_CERT.

mesh serve sets MESH_MESSAGE_ID, MESH_FROM, MESH_KIND, MESH_THREAD_ID and MESH_THREAD for its command (mesh help serve).`,
		},
		{
			Use:   "files",
			Short: "Files and directories",
			Long: `Mesh keeps these files in a directory named mesh in

  ~/.config        profiles.json, named settings (mesh help profiles)
  ~/.cache         catalog.json, the model catalog for a day
  ~/.local/share   facts, prices and retirement dates from mesh update

On Linux, XDG_CONFIG_HOME, XDG_CACHE_HOME and XDG_DATA_HOME replace them. macOS has ~/Library/Application Support, and ~/Library/Caches
for the catalog; Windows has %AppData%, and %LocalAppData% for the catalog and facts.

mesh meter --log DIR writes

  DIR/2026-11-28-....jsonl   one line for each call
  DIR/.mesh-meter-secret     the secret of --listen, readable only by you`,
		},
		{
			Use:   "profiles",
			Short: "Named settings in a file",
			Long: `Name your settings in mesh/profiles.json in the configuration directory (~/.config on Linux,
~/Library/Application Support on macOS, %AppData% on Windows):

  {"default": "home", "profiles": {
    "home": {"gateway_url": "http://127.0.0.1:8787/gateway"},
    "work": {"node": "node-a", "token_file": "~/.mesh-token",
      "gateway_url": "https://mesh.example.com/gateway"}}}

Flags come first, then --profile, the environment and the default profile. mesh whoami shows the source of each value. A relative
token_file starts at the directory that holds profiles.json.

A token goes only to its own gateway. If the gateway comes from a profile, the token comes from token_file or --token-file, never from
MESH_GATEWAY_TOKEN. If you override the gateway, such as with --gateway-url, the profile's token isn't sent. Keep tokens out of profiles.json.`,
		},
		{
			Use:   "usage-flags",
			Short: "Periods, groups and output of mesh usage",
			Long: `Period: On a terminal, mesh usage shows the last 14 days by day, and then the month. In a pipe, and with -o, --by, --all or
--fail-on, it reads everything. The first line names the period. These flags select one:

  --last 28d          the last 28 full days; on a terminal compared with the 28 before
  --last 1w           the last seven full days
  --last month        the last full calendar month
  --last all          everything
  --month 2026-10     a calendar month
  --from --to         a day, 7d (seven days ago, 00:00) or an RFC 3339 time; --to is exclusive

Days start at midnight UTC, or in the zone of --tz or MESH_TZ: local, UTC or a name such as Europe/Berlin. Budgets and bills are
always in UTC. The output names the zone.

Groups: --by takes one or more of these, separated by commas:

  day, week, month    a week is named by its Monday
  provider, model     the default
  platform            such as bedrock; empty is the provider's own API
  unpriced            why a call has no cost
  billing             subscription, or empty
  NAME                the label NAME, also as label:NAME

Output: A terminal shows rounded amounts that add up; INPUT includes cached input, and CACHED is its share. Columns that don't
fit are dropped unless you set --wide, and rows after the twelfth are added up unless you set --all. Pipes, -o csv and -o json have
every row and column and exact amounts; there INPUT excludes caches. -o json also has the data of the --html page.

-o focus prints CSV in the FinOps Open Cost and Usage Specification (FOCUS) 1.2, with --account as BillingAccountId. It has no rows
for unpriced calls: if there are any, their number is printed on stderr and the exit status is 1.

--html writes a page of the last 28 full days, unless a flag selects a period, and prints its amount and period.

--line prints one line for a status bar, such as "today 3.12 USD, 214 calls, 5/day: 62 %". Without FILE or --sessions, the exit
status is 2; otherwise it's 0, even if files can't be read, which are noted on stderr. If file names start with a day, it reads
only the files it needs.

Sessions: --explain says what session files lack, lists unreadable lines and sessions that differ from their own totals. With
--strict, an unreadable line of a session file is an error, as in a calls file. Session files don't say whether a subscription paid:
--subscription does. If a program was also metered, a call counts once if the session file has its response id (Claude Code, Codex,
Copilot CLI and pi). Deleted sessions are missing: Claude Code deletes them after 30 days.`,
		},
		{
			Use:   "meter-flags",
			Short: "Hosts, interception and other rare flags of mesh meter",
			Long: `Hosts: Calls to OpenRouter, Bedrock, Vertex and Azure are recorded with their platform. Calls to any other host, except a provider's
own, are unpriced unless you name the host:

  --host HOST=API             a host with the API openai, deepseek, anthropic, gemini, xai, converse, invoke, cohere or ollama; HOST may have a :PORT
  --host HOST=API:NAME        NAME bills the calls, as in api.groq.com=openai:groq; its prices come from --prices
  --host HOST=PLATFORM        a private endpoint of openrouter, bedrock, vertex or azure, also with a :REGION, as in llm.example.com=bedrock:us-east-1
  --upstream PROVIDER=URL     another base URL with a provider's API and prices
  --azure KIND                the deployment kind; without it, calls to Azure are unpriced

--host applies to base URLs, --intercept and Node programs. A host without calls is printed.

--intercept decrypts connections to providers and to every --host. The certificate authority exists for this run, at most 24 hours; its
key is only in memory, and it can certify no other hosts. Variables for roots, such as SSL_CERT_FILE and NODE_EXTRA_CA_CERTS, name files
with its certificate, which are removed at the end. Variables for base URLs stay as they are.

WebSockets are refused with 426, so COMMAND falls back to HTTP; from Node, without --intercept, they are unpriced calls.

--stream-usage requests the usage in OpenAI's chat streams, which otherwise lack it. It comes in a last event without choices.

--listen is the same meter without COMMAND, for a machine or a container. It needs --log. It writes the variables for other programs, as
export lines for a shell, to --env, or else to stdout. Their secret is kept in .mesh-meter-secret in the --log directory, readable only
by its owner, so that the variables stay valid after a restart; other users can't use the meter. It adds no label project and sets no
NODE_OPTIONS. SIGTERM or ^C ends it after the running calls, and a second signal at once.`,
		},
		{
			Use:   "budgets",
			Short: "Budgets, and rules that fail a CI step",
			Long: `mesh meter --budget stops calls at a limit in USD. mesh usage --budget shows what's left of it:

  5/day               today's calls (UTC)
  100/month           this month's calls (UTC)
  5                   in meter all calls in this run, in usage all calls in the files
  2/day/label:user    for each value of the label; usage shows the one that spent most

Meter refuses calls with 402 (Codex: 400) once a budget is used up, and warns at 80 %; running calls may exceed it. With --log, earlier runs' and other
programs' calls in the directory count too. These programs see each other's calls within a second, and may exceed the budget by what
they spend in that time. Invalid lines in the directory don't count: one warning is printed for all, and with --strict, which needs a
budget with a period, all calls are refused. Under mesh serve, a run is one question.

The known part of a cost counts, as for a broken stream or an unknown fee. Other unpriced calls don't count, such as those
to a model without a price, or OpenAI's chat streams without --stream-usage. With --per-call, that amount is set aside for each running
call, and every unpriced call, even to another host, counts at least that. A warning names each model with unpriced calls. After the
table, meter prints what's left, and how many calls didn't count or were refused. Subscription calls count unless you set --charges-only.

Usage counts like meter, and adds the separate bill of the provider behind OpenRouter. There, budgets ignore --from, --to, --last and
--month. With --label only calls with that label count, although meter counts all.

mesh usage --fail-on exits with 1, and prints the rule on stderr, if a rule fires in the selected period. The default is the last 28
full days or, if all calls are younger, the days since the first one and today. It's printed on stderr: the table can have another period.

  retired             a call to a retired model failed
  retiring            a model in use retires within 14 days
  budget              a --budget is exceeded, or will be by the end of the month
  label               one label value or thread caused at least a fifth of an increase
  errors              at least 3 % of a model's calls failed, not counting retries
  unpriced            a call has no price for a reason that you can fix

One call is enough for retired, errors and unpriced. A report's advice, unasked, needs more.`,
		},
		{
			Use:     "exit-status",
			Aliases: []string{"exit-codes"},
			Short:   "Exit statuses",
			Long: `The exit status is

  0  success, or a gateway, serve, mcp or inbox --watch that you interrupted
  1  found something: a credential, a retired or soon retiring model, an old price, unpriced calls, a --fail-on rule in mesh usage, a drift that is unknown or too large; or an answer to mesh ask is missing
  2  incorrect use: a flag, an argument, an unknown name, a missing key, or an unreadable or unwritable file
  3  the gateway, a provider, the output or an mcp session failed; serve was killed; or mesh price has no price for a model or call
  4  refused: the message contains a credential, or the node isn't registered
  130  ^C ended any other command (in mesh ask, or as shells say)

mesh meter exits with the status of its command.`,
		},
	}
}
