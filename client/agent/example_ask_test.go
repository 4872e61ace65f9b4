package agent_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

// answerAll runs a node that answers every question until ctx ends.
func answerAll(ctx context.Context, gateway *gatewaytest.Gateway, node string) {
	c, err := client.New(node, gateway.Options()...)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	_ = agent.Serve(ctx, c, func(ctx context.Context, q client.MeshMessage) error {
		_, err := c.Reply(ctx, q, client.SendRequest{Kind: client.KindAnswer, Content: node + " is ready"})
		return err
	}, agent.ServeOptions{Kinds: []client.Kind{client.KindQuestion}, Interval: 100 * time.Millisecond})
}

func ExampleAsk() {
	gateway := exampleGateway()
	defer gateway.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	go answerAll(ctx, gateway, "node-b")

	c, err := client.New("node-a", gateway.Options()...)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	m, err := agent.Ask(ctx, c, client.SendRequest{To: "node-b", Content: "Are you ready?"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.GetContent())
	// Output: node-b is ready
}

func ExampleAskAll() {
	gateway := gatewaytest.Start(gatewaytest.WithPeers("node-a", "node-b", "node-c", "node-d"))
	defer gateway.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	go answerAll(ctx, gateway, "node-b")
	go answerAll(ctx, gateway, "node-c")

	c, err := client.New("node-a", gateway.Options()...)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	enough, cancel := context.WithCancel(ctx)
	defer cancel()
	answers := 0
	for m, err := range agent.AskAll(enough, c, []string{"node-b", "node-c", "node-d"}, client.SendRequest{Content: "Are you ready?"}) {
		var none *agent.NoAnswerError
		switch {
		case err == nil:
			fmt.Println(m.GetContent())
			if answers++; answers == 2 { // of three
				cancel()
			}
		case errors.As(err, &none) && errors.Is(err, context.Canceled):
			fmt.Println("no answer from", none.Question.ToNode) // Await keeps waiting for none.Question
		default:
			log.Fatal(err)
		}
	}
	// Unordered output:
	// node-b is ready
	// node-c is ready
	// no answer from node-d
}

func ExampleAwait() {
	gateway := exampleGateway()
	defer gateway.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()

	c, err := client.New("node-a", gateway.Options()...)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	short, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
	defer cancel()
	_, err = agent.Ask(short, c, client.SendRequest{To: "node-b", Content: "Are you ready?"})
	var none *agent.NoAnswerError
	if !errors.As(err, &none) {
		log.Fatal(err)
	}
	fmt.Println("waiting for", none.Question.ToNode) // store none.Question to survive a restart

	go answerAll(ctx, gateway, "node-b")
	for m, err := range agent.Await(ctx, c, none.Question) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(m.GetContent())
	}
	// Output:
	// waiting for node-b
	// node-b is ready
}
