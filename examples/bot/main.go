// Command bot runs two agents of a mesh until ^C: one sends questions, the other answers them.
//
//	go run ./examples/bot "How far is the build?"
//
// The helper answers questions only. Two agents that answer answers as well would exchange messages without end.
//
// It uses the gateway in MESH_GATEWAY_URL with the token in MESH_GATEWAY_TOKEN, or a gateway in memory. Serve registers an
// agent, polls its inbox, repeats failed handlers and marks messages read. At the end, running handlers finish; other messages
// stay unread until the next run.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"time"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	var opts []client.Option // none: the gateway of the environment
	if os.Getenv("MESH_GATEWAY_URL") == "" {
		opts = gatewaytest.Start().Options()
	}
	if err := run(ctx, os.Stdout, os.Args[1:], opts...); err != nil {
		stop()
		log.Fatal(err)
	}
}

// run serves both agents until ctx ends.
func run(ctx context.Context, out io.Writer, questions []string, opts ...client.Option) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	helper, helperErr := client.New("bot-helper", opts...)
	asker, askerErr := client.New("bot-asker", opts...)
	if err := errors.Join(helperErr, askerErr); err != nil {
		return err
	}
	if _, err := helper.Register(ctx, *options(helper).Register); err != nil { // here, so that the asker finds it at once
		return err
	}
	ended := make(chan error, 2)
	go func() {
		defer stop() // an agent that cannot go on ends the other one
		opts := options(helper)
		opts.Kinds = []client.Kind{client.KindQuestion} // answers to answers would never end
		ended <- helper.Serve(ctx, func(ctx context.Context, m client.MeshMessage) error {
			_, err := helper.Reply(ctx, m, client.KindAnswer, "You asked: "+m.GetContent())
			return err
		}, opts)
	}()
	go func() {
		defer stop()
		ended <- asker.Serve(ctx, func(_ context.Context, m client.MeshMessage) error {
			_, err := fmt.Fprintf(out, "%s from %s: %q\n", m.Kind, m.FromNode, m.GetContent()) // %q: a terminal may act on the text of others
			return err
		}, options(asker))
	}()
	for _, question := range questions {
		if _, err := asker.Send(ctx, client.SendRequest{To: helper.Node(), Kind: client.KindQuestion, Content: question}); err != nil {
			stop()
			return errors.Join(err, <-ended, <-ended)
		}
	}
	return errors.Join(<-ended, <-ended)
}

func options(c *client.MeshClient) client.ServeOptions {
	return client.ServeOptions{
		Register: &client.RegisterRequest{URL: "http://" + c.Node() + ":8787"},
		Watch:    client.WatchOptions{Interval: time.Second, IdleInterval: 30 * time.Second},
		OnError:  func(m client.MeshMessage, err error) { log.Printf("%s: message %d: %v", c.Node(), m.ID, err) },
	}
}
