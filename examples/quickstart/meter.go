package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// meteredCall calls a provider in memory through a meter, which prints the cost. To meter
// a program that uses an official SDK, pass m.Client() to the SDK.
func (accounts) meteredCall(ctx context.Context, p *page) error {
	s := discoverytest.Start()
	defer s.Close()
	s.SetCompletion(discoverytest.CreateAnthropicMessage, discoverytest.Completion{
		Usage: json.RawMessage(`{"input_tokens":2000,"cache_read_input_tokens":50000,"output_tokens":800}`),
	})
	m, err := meter.New(
		meter.WithEndpoint(meter.Endpoint{Host: strings.TrimPrefix(s.URL, "http://"), API: models.Anthropic}), // not needed for official hosts
		meter.WithRecorder(func(r calls.Record) {
			p.line("%-22s %s USD, %s for %s", "a call cost", r.USD, r.Model, r.Labels["user"])
		}))
	if err != nil {
		return err
	}
	ctx = meter.WithLabel(ctx, "user", "ann")
	const question = `{"model":"claude-opus-5-5","max_tokens":1000,"messages":[{"role":"user","content":"Hello?"}]}`
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/anthropic/v1/messages", strings.NewReader(question))
	if err != nil {
		return err
	}
	req.Header.Set("X-Api-Key", "a key for a provider in memory")
	req.Header.Set("Anthropic-Version", "2023-06-01")
	res, err := m.Client().Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	_, err = io.Copy(io.Discard, res.Body)
	return err
}
