package agent_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent"
)

// A node that answers every question until its context ends.
func ExampleServe() {
	gateway := exampleGateway()
	defer gateway.Close()
	gateway.Store("node-a", "node-b", "question", "Is the build green?")

	c, err := client.New("node-b", gateway.Options()...)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	ctx, stop := context.WithCancel(context.Background())
	answer := func(ctx context.Context, m client.MeshMessage) error {
		fmt.Printf("%s: %s\n", m.FromNode, m.GetContent())
		_, err := c.Reply(ctx, m, client.SendRequest{Kind: client.KindAnswer, Content: "All green."})
		stop() // a real program stops on a signal
		return err
	}
	err = agent.Serve(ctx, c, answer, agent.ServeOptions{
		Kinds:    []client.Kind{client.KindQuestion}, // two nodes that answer answers would never end
		Register: &client.RegisterRequest{URL: "http://node-b:8787"},
		OnError:  func(m client.MeshMessage, err error) { log.Print(m.ID, err) },
	})
	fmt.Println("served:", err)
	// Output:
	// node-a: Is the build green?
	// served: <nil>
}

// Reply takes recipient, thread and task from the message. The same reply sent twice
// arrives once.
func ExampleWatch() {
	gateway := exampleGateway()
	defer gateway.Close()
	gateway.Store("node-b", "node-a", "status", "half done")
	gateway.Store("node-b", "node-a", "status", "done")
	c, err := client.New("node-a", gateway.Options()...)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()

	ctx := context.Background()
	for m, err := range agent.Watch(ctx, c, agent.WatchOptions{Interval: time.Second}) {
		if err != nil {
			log.Print(err) // polling continues
			continue
		}
		fmt.Println(m.GetContent())
		if err := c.MarkRead(ctx, m.ID); err != nil {
			log.Print(err)
		}
		if m.GetContent() == "done" {
			break
		}
	}
	// Output:
	// half done
	// done
}
