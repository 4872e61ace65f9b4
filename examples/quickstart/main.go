// Command quickstart shows what mesh-go does, in a page.
//
//	go run ./examples/quickstart
//
// With MESH_GATEWAY_URL set (and MESH_GATEWAY_TOKEN, if that gateway wants one) it works against that gateway: it
// registers the nodes quickstart-asker and quickstart-helper there and sends two messages between them. Without, it starts
// a gateway in memory.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "quickstart:", err)
		os.Exit(1)
	}
}

// run prints one section after the other, for at most a minute.
func run(ctx context.Context, out io.Writer) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	p := &page{out: out}
	for _, section := range []func(context.Context, *page) error{
		messaging, catalog, costs,
	} {
		if err := section(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// page prints sections.
type page struct {
	out io.Writer
}

func (p *page) section(title string) { fmt.Fprintf(p.out, "\n── %s\n", title) }

func (p *page) line(format string, args ...any) { fmt.Fprintf(p.out, "   "+format+"\n", args...) }
