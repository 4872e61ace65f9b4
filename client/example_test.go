package client_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
	"github.com/mesh-gateway/mesh-go/scan"
)

// exampleGateway returns an in-memory gateway with node-a and node-b.
func exampleGateway() *gatewaytest.Gateway {
	return gatewaytest.Start(gatewaytest.WithToken("example-token"), gatewaytest.WithPeers("node-a", "node-b"))
}

func Example() {
	gateway := exampleGateway()
	defer gateway.Close()
	ctx := context.Background()

	a, err := client.New("node-a", client.WithGatewayURL(gateway.URL), client.WithToken("example-token"))
	if err != nil {
		log.Fatal(err)
	}
	defer a.Close()
	receipt, err := a.Send(ctx, client.SendRequest{To: "node-b", Kind: client.KindQuestion, Content: "Is the build green?"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("sent", receipt.ID)

	b, err := client.New("node-b", client.WithGatewayURL(gateway.URL), client.WithToken("example-token"))
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	inbox, err := b.Fetch(ctx, client.FetchOptions{UnreadOnly: true})
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range inbox {
		fmt.Printf("%s: %s\n", m.FromNode, m.GetContent())
		if err := b.MarkRead(ctx, m.ID); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// sent 1
	// node-a: Is the build green?
}

func ExampleMeshClient_Send_errors() {
	gateway := exampleGateway()
	defer gateway.Close()
	c, err := client.New("node-a", gateway.Options()...)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()

	for _, req := range []client.SendRequest{
		{To: "node-b", Kind: "review", Content: "hello"},
		{To: "node-bb", Kind: client.KindFYI, Content: "hello"},
		{To: "node-b", Kind: client.KindFYI, Content: "my key is sk-ant-" + strings.Repeat("example", 3)},
	} {
		_, err := c.Send(context.Background(), req)
		var invalid *client.ValueError
		var unknown *client.NotInRegistryError
		var leak *client.MeshSecretLeakError
		switch {
		case errors.As(err, &invalid):
			fmt.Println("invalid", invalid.Field)
		case errors.As(err, &unknown):
			fmt.Println(unknown.Name, "is not registered; similar names:", unknown.Near)
		case errors.As(err, &leak):
			fmt.Println("contains a credential:", leak.Finding.Rule.Name)
		}
	}
	// Output:
	// invalid Kind
	// node-bb is not registered; similar names: [node-b node-a]
	// contains a credential: anthropic-api-key
}

func ExampleMeshClient_Register() {
	gateway := exampleGateway()
	defer gateway.Close()
	c, err := client.New("node-new", gateway.Options()...)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()

	peer, err := c.Register(context.Background(), client.RegisterRequest{
		URL:          "http://node-new:8787",
		Capabilities: map[string]any{"runtime": "go"},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(peer.Name, peer.PeerToken) // PeerToken.Reveal returns the token, which cannot be retrieved again
	// Output: node-new [REDACTED]
}

func ExampleWithRetry() {
	gateway := exampleGateway()
	defer gateway.Close()
	gateway.Fail(gatewaytest.SendMessage, gatewaytest.Fault{Status: http.StatusServiceUnavailable, Times: 2})
	c, err := client.New("node-a", append(gateway.Options(),
		client.WithRetry(client.RetryPolicy{MaxAttempts: 5, BaseDelay: time.Millisecond}))...)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()

	_, err = c.Send(context.Background(), client.SendRequest{To: "node-b", Kind: client.KindFYI, Content: "hello"})
	fmt.Println(err, len(gateway.Requests(gatewaytest.SendMessage)))
	// Output: <nil> 3
}

func ExampleWithScanner() {
	gateway := exampleGateway()
	defer gateway.Close()
	c, err := client.New("node-a", append(gateway.Options(),
		client.WithScanner(scan.New(scan.WithExtendedRules())))...)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()

	_, err = c.Send(context.Background(), client.SendRequest{
		To: "node-b", Kind: client.KindFYI, Content: "hf_" + strings.Repeat("Example", 5),
	})
	var leak *client.MeshSecretLeakError
	fmt.Println(errors.As(err, &leak))
	// Output: true
}

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
