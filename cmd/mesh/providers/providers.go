// Package providers is mesh providers: fake providers of models in memory.
package providers

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/fakeproviders"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/listen"
	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
)

// Options are the flags of mesh providers.
type Options struct {
	*app.App
	listen string
	fail   int
}

// New returns the command mesh providers.
func New(a *app.App) *cobra.Command {
	o := &Options{App: a}
	cmd := &cobra.Command{
		Use:   "providers",
		Short: "Run fake model providers in memory, to try everything without a key",
		Long: `Providers runs fake providers on this machine until it is interrupted: the catalog, and the models, prices, balance, bills and
completions of OpenAI, Anthropic, Gemini, xAI and DeepSeek, with streams. Every answer of a model is "Hello there." with 100 input and
20 output tokens, and every bill is 4.25 USD a day at OpenAI, 2.125 at Anthropic and 1.30 at xAI.

It prints lines that set variables for a shell: base URLs, which mesh and other programs read, and placeholder keys. In another shell,
after these lines:

  mesh models
  mesh cost openai --from 2026-11-01
  mesh meter -- python3 agent.py

MESH_PROVIDERS_URL must be an address of this machine, since mesh sends all keys of providers there. mesh meter counts calls to the fake
providers as those to the real ones.

With --fail STATUS, every response has this status: 529 is Anthropic's for overload, 429 is for a rate limit.`,
		Example: "  mesh providers\n  mesh providers --listen 127.0.0.1:0 --fail 529",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return run(cmd.Context(), o) },
	}
	cmd.Flags().StringVar(&o.listen, "listen", "127.0.0.1:8788", "address to listen on; port 0 selects a free port")
	cmd.Flags().IntVar(&o.fail, "fail", 0, "status of every response, from 400 to 599, such as 529")
	return cmd
}

// run runs the providers until ctx ends or it is interrupted.
func run(ctx context.Context, o *Options) error {
	if o.fail != 0 && (o.fail < 400 || o.fail > 599) {
		return exit.Usagef("--fail %d must be a status from 400 to 599", o.fail)
	}
	if err := listen.Check("--listen", o.listen); err != nil {
		return err
	}
	ctx, stop := app.UntilInterrupted(ctx)
	defer stop()
	s, err := discoverytest.Listen(discoverytest.WithAddr(o.listen), discoverytest.WithoutRequestLog())
	if err != nil {
		return listen.Error("--listen", err)
	}
	defer s.Close()
	if o.fail != 0 {
		s.FailIf(func(discoverytest.Request) *discoverytest.Fault { return fakeproviders.Fault(o.fail) })
	}
	variables := fakeproviders.Environment(s.URL)
	text := bytes.NewBufferString("# Fake providers in memory. The keys are examples.\n")
	for _, v := range variables {
		fmt.Fprintf(text, "export %s=%s\n", v.Name, v.Value) // no value needs quotes
	}
	if err := o.PrintLine(variables, func(w io.Writer) error {
		_, err := text.WriteTo(w)
		return err
	}); err != nil {
		return err
	}
	if !listen.IsLoopback(s.URL) {
		o.Warn(fmt.Errorf("other machines can reach %s, and mesh does not: MESH_PROVIDERS_URL must be an address of this machine", s.URL))
	}
	<-ctx.Done()
	return nil
}
