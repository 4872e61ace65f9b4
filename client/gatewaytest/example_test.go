package gatewaytest_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

// In a test, use New(t) in place of Start and Close.
func Example() {
	g := gatewaytest.Start(gatewaytest.WithToken("example-token"), gatewaytest.WithPeers("node-a", "node-b"))
	defer g.Close()
	ctx := context.Background()

	a, err := client.New("node-a", g.Options()...)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer a.Close()
	receipt, err := a.Send(ctx, client.SendRequest{To: "node-b", Kind: client.KindQuestion, Content: "Is the build green?"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("sent message", receipt.ID)

	for _, r := range g.Requests(gatewaytest.SendMessage) {
		fmt.Println(r.Method, r.Path, r.Body)
	}
	// Output:
	// sent message 1
	// POST /messages {"from_node":"node-a","to_node":"node-b","kind":"question","content":"Is the build green?"}
}

func ExampleGateway_Fail() {
	g := gatewaytest.Start(gatewaytest.WithPeers("node-a"))
	defer g.Close()
	a, err := client.New("node-a", g.Options()...)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer a.Close()

	g.Fail(gatewaytest.ListPeers, gatewaytest.Fault{Status: 503, Body: "back in a minute"})
	_, err = a.ListPeers(context.Background())
	var failed *client.MeshGatewayError
	if errors.As(err, &failed) {
		fmt.Println(failed.StatusCode, failed.Body)
	}
	peers, err := a.ListPeers(context.Background()) // the fault happened once
	fmt.Println(len(peers), err)
	// Output:
	// 503 back in a minute
	// 1 <nil>
}

// The response to a message is lost: the program gets an error although the message was
// stored.
func ExampleFault_afterEffect() {
	g := gatewaytest.Start(gatewaytest.WithPeers("node-a", "node-b"))
	defer g.Close()
	a, errA := client.New("node-a", g.Options()...)
	b, errB := client.New("node-b", g.Options()...)
	if err := errors.Join(errA, errB); err != nil {
		fmt.Println(err)
		return
	}
	defer a.Close()
	defer b.Close()

	g.Fail(gatewaytest.SendMessage, gatewaytest.Fault{AfterEffect: true, HangUp: true})
	_, err := a.Send(context.Background(), client.SendRequest{To: "node-b", Kind: client.KindFYI, Content: "disk at 80 %"})
	fmt.Println("failed:", err != nil)
	inbox, err := b.Fetch(context.Background(), client.FetchOptions{})
	fmt.Println(*inbox[0].Content, err)
	// Output:
	// failed: true
	// disk at 80 % <nil>
}

// Store adds messages that a client can't send, such as one with an unknown kind.
func ExampleGateway_Store() {
	g := gatewaytest.Start(gatewaytest.WithPeers("node-b"))
	defer g.Close()
	b, err := client.New("node-b", g.Options()...)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer b.Close()

	id := g.Store("node-a", "node-b", "review_request", "have a look, please")
	inbox, err := b.Fetch(context.Background(), client.FetchOptions{UnreadOnly: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range inbox {
		fmt.Println(m.ID == id, m.Kind, m.Kind.Valid(), *m.Content)
	}
	// Output:
	// true review_request false have a look, please
}
