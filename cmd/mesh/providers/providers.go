// Package providers implements mesh providers: fake, in-memory model providers.
package providers

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/fakeproviders"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
)

type options struct {
	*app.App
	listen string
	fail   int
}

// New returns the mesh providers command.
func New(a *app.App) *cobra.Command {
	o := &options{App: a}
	cmd := &cobra.Command{
		Use:   "providers",
		Short: "Run fake model providers that need no key",
		Long: `Providers runs fake providers on this machine until you interrupt it: the catalog, and models, prices, balances, bills and
completions (with streams) from OpenAI, Anthropic, Gemini, xAI and DeepSeek. Every model answers "Hello there." with 100 input and
20 output tokens. A bill is 4.25 USD a day at OpenAI, 2.125 at Anthropic and 1.30 at xAI.

It prints shell variables: base URLs, which mesh and other programs read, and placeholder keys. Paste them into another shell, then try:

  mesh models
  mesh cost openai --from 2026-11-01
  mesh meter -- python3 agent.py

Mesh sends all provider keys to MESH_PROVIDERS_URL, which therefore must be on this machine. mesh meter counts calls to fake providers
like real ones.

Try --fail 529, Anthropic's status for overload, or --fail 429, a rate limit.`,
		Example: "  mesh providers\n  mesh providers --listen 127.0.0.1:0 --fail 529",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return run(cmd.Context(), o) },
	}
	cmd.Flags().StringVar(&o.listen, "listen", "127.0.0.1:8788", "listen on `ADDR`; port 0 is a free one")
	cmd.Flags().IntVar(&o.fail, "fail", 0, "status for every response, from 400 to 599")
	return cmd
}

func run(ctx context.Context, o *options) error {
	if o.fail != 0 && (o.fail < 400 || o.fail > 599) {
		return exit.Usagef("--fail %d must be a status from 400 to 599", o.fail)
	}
	if err := app.CheckListen(o.listen); err != nil {
		return err
	}
	ctx, stop := app.UntilInterrupted(ctx)
	defer stop()
	s, err := discoverytest.Listen(discoverytest.WithAddr(o.listen), discoverytest.WithoutRequestLog(), discoverytest.WithUniqueIDs())
	if err != nil {
		return app.ListenError(err)
	}
	defer s.Close()
	if o.fail != 0 {
		s.FailIf(func(discoverytest.Request) *discoverytest.Fault { return fault(o.fail) })
	}
	variables := fakeproviders.Environment(s.URL)
	var text strings.Builder
	text.WriteString("# In-memory fake providers. The keys are placeholders.\n")
	for _, v := range variables {
		fmt.Fprintf(&text, "export %s=%s\n", v.Name, v.Value) // no value needs quotes
	}
	if err := o.PrintLine(variables, output.Fixed(text.String())); err != nil {
		return err
	}
	if !app.IsLoopback(s.URL) {
		o.Warn(fmt.Errorf("other machines can reach %s, so mesh does not accept it as MESH_PROVIDERS_URL, which must be an address on this machine", s.URL))
	}
	<-ctx.Done()
	return nil
}

// fault has an error body that every provider's SDK can read.
func fault(status int) *discoverytest.Fault {
	return &discoverytest.Fault{
		Status: status, Header: http.Header{"Content-Type": {"application/json"}},
		Body: fmt.Sprintf(`{"type":"error","error":{"type":"api_error","code":%d,"message":"mesh providers --fail %[1]d"}}`, status),
	}
}
