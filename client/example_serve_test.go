package client_test

import (
	"context"
	"fmt"
	"log"

	"github.com/mesh-gateway/mesh-go/client"
)

// A node that answers every question until its context ends.
func ExampleMeshClient_Serve() {
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
	err = c.Serve(ctx, answer, client.ServeOptions{
		Kinds:    []client.Kind{client.KindQuestion}, // two nodes that answer answers would never end
		Register: &client.RegisterRequest{URL: "http://node-b:8787"},
		OnError:  func(m client.MeshMessage, err error) { log.Print(m.ID, err) },
	})
	fmt.Println("served:", err)
	// Output:
	// node-a: Is the build green?
	// served: <nil>
}

// Reply takes the recipient, the thread and the task from the message. The same reply sent twice arrives once.
func ExampleMeshClient_Reply() {
	gateway := exampleGateway()
	defer gateway.Close()
	gateway.Store("node-a", "node-b", "question", "Is the build green?")

	c, err := client.New("node-b", gateway.Options()...)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	ctx := context.Background()
	inbox, err := c.Fetch(ctx, client.FetchOptions{Kind: client.KindQuestion, UnreadOnly: true})
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range inbox {
		for range 2 {
			receipt, err := c.Reply(ctx, m, client.SendRequest{Kind: client.KindAnswer, Content: "All green."})
			if err != nil {
				log.Fatal(err)
			}
			fmt.Println("message", receipt.ID, "to", receipt.ToNode)
		}
	}
	// Output:
	// message 2 to node-a
	// message 2 to node-a
}
