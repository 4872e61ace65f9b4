// Command client measures package client and its generated types.
package main

import (
	"context"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/mesh-gateway/mesh-go/.ci/bench/measure"
	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/gen/gateway"
)

func main() {
	measure.Main(map[string]func() func(){"send": send, "fetch": fetch, "decode": decode, "encode": encode})
}

const (
	registry = `{"peers":[{"name":"node-b","url":"http://node-b","capabilities":{},"enabled":1}]}`
	receipt  = `{"id":7,"from_node":"node-a","to_node":"node-b","kind":"question","thread_id":null,"channel":null,"mentions":null,` +
		`"created_at":"2026-11-21T08:28:39.167872+00:00","read_at":null}`
)

// answers is a transport without a network: only the client is measured.
type answers struct{ inbox string }

func (a answers) RoundTrip(req *http.Request) (*http.Response, error) {
	body := receipt
	switch {
	case req.Method == http.MethodPost:
		if _, err := io.Copy(io.Discard, req.Body); err != nil {
			return nil, err
		}
	case strings.HasSuffix(req.URL.Path, "/peers"):
		body = registry
	default:
		body = a.inbox
	}
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Request: req,
		Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)),
	}, nil
}

func newClient(inbox string) *client.MeshClient {
	transport := client.WithHTTPClient(&http.Client{Transport: answers{inbox}})
	c, err := client.New("node-a", client.WithGatewayURL("http://gateway"), client.WithToken("example-token-0123456789-abcdefghij"), transport)
	measure.Must(err)
	return c
}

func send() func() {
	c := newClient("")
	req := client.SendRequest{To: "node-b", Kind: client.KindQuestion, Content: "The nightly build is green again; can you take the deploy from here?"}
	return func() {
		_, err := c.Send(context.Background(), req)
		measure.Must(err)
	}
}

func fetch() func() {
	c := newClient(string(readInbox()))
	return func() {
		messages, err := c.Fetch(context.Background(), client.FetchOptions{Limit: 1000})
		measure.Must(err)
		if len(messages) != 1000 {
			panic(len(messages))
		}
	}
}

func decode() func() {
	inbox := readInbox()
	return func() {
		var list gateway.MessageList
		measure.Must(list.UnmarshalJSON(inbox))
	}
}

func encode() func() {
	var list gateway.MessageList
	measure.Must(list.UnmarshalJSON(readInbox()))
	return func() {
		_, err := list.MarshalJSON()
		measure.Must(err)
	}
}

func readInbox() []byte {
	text, err := os.ReadFile("inbox.json")
	measure.Must(err)
	return text
}
