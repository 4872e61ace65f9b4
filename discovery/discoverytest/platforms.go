package discoverytest

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/internal/endpoints"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// The operations of the platforms.
const (
	CreateOpenRouterChat Operation = "openrouter.createChatCompletion"
	ConverseBedrock      Operation = "bedrock.converse"
	PredictVertex        Operation = "vertex.rawPredict" // of Claude
	CreateAzureChat      Operation = "azure.createChatCompletion"
)

//go:embed platforms.json
var platformAnswers []byte

// platformRoutes serve one recorded response of each platform, whatever the request asks for, and check no key.
func platformRoutes() []route {
	bodies := embedded[map[Operation]json.RawMessage](platformAnswers)
	var routes []route
	for _, of := range []struct {
		op       Operation
		platform prices.Platform
		path     string
	}{
		{CreateOpenRouterChat, prices.PlatformOpenRouter, "/api/v1/chat/completions"},
		{ConverseBedrock, prices.PlatformBedrock, "/model/{id}/converse"},
		{PredictVertex, prices.PlatformVertex, "/v1/projects/{project}/locations/{location}/publishers/anthropic/models/{call}"},
		{CreateAzureChat, prices.PlatformAzure, "/openai/deployments/{deployment}/chat/completions"},
		{CreateAzureChat, prices.PlatformAzure, "/openai/v1/chat/completions"},
	} {
		routes = append(routes, route{op: of.op, service: service{name: discovery.Service(of.platform)}, pattern: "POST " + of.path, run: func(r *http.Request) answer {
			if call := r.PathValue("call"); call != "" && !strings.HasSuffix(call, ":rawPredict") {
				return notFound(r)
			}
			return ok(bodies[of.op])
		}})
	}
	return routes
}

// Transport returns a transport that leads requests to the official hosts of platforms and providers, such as
// https://bedrock-runtime.us-east-1.amazonaws.com and https://api.openai.com, to the server. A request to any other host is an error,
// so nothing leaves the machine. A Meter around it sees the official hosts:
//
//	client := &http.Client{Transport: m.Transport(s.Transport())}
func (s *Server) Transport() http.RoundTripper {
	return transport{strings.TrimPrefix(s.URL, "http://")}
}

// transport sends requests to the server at an address.
type transport struct{ address string }

func (t transport) RoundTrip(req *http.Request) (*http.Response, error) {
	e, official := endpoints.OfHost(req.URL.Hostname())
	if !official {
		if req.Body != nil {
			_ = req.Body.Close()
		}
		return nil, fmt.Errorf("discoverytest: %s is no host of a platform or a provider", req.URL.Hostname())
	}
	sent, base := req.Clone(req.Context()), "/"+e.Platform+e.Provider // one of them is ""
	sent.URL.Scheme, sent.URL.Host, sent.Host = "http", t.address, ""
	if sent.URL.RawPath != "" {
		sent.URL.RawPath = base + sent.URL.RawPath
	}
	sent.URL.Path = base + sent.URL.Path
	return http.DefaultTransport.RoundTrip(sent)
}
