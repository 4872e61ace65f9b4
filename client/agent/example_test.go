package agent_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

// A bot, and a question to it.
func Example() {
	gateway := gatewaytest.Start()
	defer gateway.Close()
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	bot, err1 := client.New("bot", gateway.Options()...)
	me, err2 := client.New("me", gateway.Options()...)
	_, err3 := me.Register(ctx, client.RegisterRequest{})
	if err := errors.Join(err1, err2, err3); err != nil {
		log.Fatal(err)
	}
	upper := func(_ context.Context, q client.MeshMessage) (string, error) {
		return strings.ToUpper(q.GetContent()), nil
	}
	ready, ended := make(chan bool), make(chan error)
	go func() {
		ended <- agent.Answer(ctx, bot, upper, agent.AnswerOptions{ServeOptions: agent.ServeOptions{
			Register: &client.RegisterRequest{}, OnReady: func() { close(ready) },
		}})
	}()
	<-ready
	answer, err := agent.Ask(ctx, me, client.SendRequest{To: "bot", Content: "is the build green?"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.GetContent())
	stop()
	fmt.Println(<-ended)
	// Output:
	// IS THE BUILD GREEN?
	// <nil>
}

// The gateway fails during the delivery. Only the delivery is repeated, since the
// function may have paid for a model.
func ExampleAnswer_outage() {
	gateway := exampleGateway()
	defer gateway.Close()
	gateway.Store("node-a", "node-b", "question", "Is the build green?")
	gateway.Fail(gatewaytest.SendMessage, gatewaytest.Fault{Status: 503, Times: 2})
	bot, err := client.New("node-b", gateway.Options()...)
	if err != nil {
		log.Fatal(err)
	}
	defer bot.Close()
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	paid := 0
	err = agent.Answer(ctx, bot, func(context.Context, client.MeshMessage) (string, error) {
		paid++
		return "All green.", nil
	}, agent.AnswerOptions{
		// Spool: "answers", // also after a crash
		OnAnswer: func(_ client.MeshMessage, _ *client.MeshMessage, err error) {
			if fmt.Println("delivered:", err == nil); err == nil {
				stop()
			}
		},
	})
	fmt.Println("paid", paid, "time,", err)
	// Output:
	// delivered: false
	// delivered: false
	// delivered: true
	// paid 1 time, <nil>
}
