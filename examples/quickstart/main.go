// Command quickstart demonstrates mesh-go's packages on one page.
//
//	go run ./examples/quickstart
//
// It uses a gateway, a catalog and providers in memory. With -real, it uses real
// services:
//
//   - The gateway in MESH_GATEWAY_URL, with the token in MESH_GATEWAY_TOKEN. It registers
//     the nodes quickstart-asker and quickstart-helper there and sends two messages
//     between them. If the variable isn't set, the gateway is in memory.
//   - The catalog in MESH_CATALOG_URL, or the default catalog.
//   - The providers, if one of their keys is set. These requests only read.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"
)

func main() {
	real := flag.Bool("real", false, "use the real services that the environment configures")
	flag.Parse()
	if err := run(context.Background(), os.Stdout, *real); err != nil {
		fmt.Fprintln(os.Stderr, "quickstart:", err)
		os.Exit(1)
	}
}

// run prints the sections. It takes at most a minute.
func run(ctx context.Context, out io.Writer, real bool) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	p := &page{out: out, real: real}
	for _, section := range []func(context.Context, *page) error{
		messaging, catalog, costs,
	} {
		if err := section(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

type page struct {
	out  io.Writer
	real bool // use real services
}

func (p *page) section(title string) { fmt.Fprintf(p.out, "\n── %s\n", title) }

func (p *page) line(format string, args ...any) { fmt.Fprintf(p.out, "   "+format+"\n", args...) }
