package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/mesh-gateway/mesh-go/gen/gateway"
)

// seen has the JSON types of unknown members: schema -> name -> type.
type seen map[string]map[string]string

// look asks a gateway once for each list. Errors have no part of a body.
func look(ctx context.Context, base, token string) (seen, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	s := seen{}
	var peers gateway.PeerList
	var messages gateway.MessageList
	var threads gateway.ThreadList
	for _, list := range []struct {
		path string
		into any
	}{{"/peers", &peers}, {"/messages?limit=20", &messages}, {"/threads", &threads}} {
		if err := get(ctx, base+list.path, token, list.into); err != nil {
			return nil, fmt.Errorf("GET %s: %w", list.path, err)
		}
	}
	s.add("PeerEnvelope", peers.AdditionalProperties)
	s.add("MessageEnvelope", messages.AdditionalProperties)
	s.add("ThreadList", threads.AdditionalProperties)
	for _, p := range peers.Peers {
		s.add("MeshPeer", p.AdditionalProperties)
	}
	for _, m := range messages.Messages {
		s.add("MeshMessage", m.AdditionalProperties)
	}
	for _, t := range threads.Threads {
		s.add("Thread", t.AdditionalProperties)
	}
	return s, nil
}

func get(ctx context.Context, url, token string, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(res.Body, 32<<20))
	if err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", res.StatusCode)
	}
	return json.Unmarshal(text, into)
}

// add keeps the type of each member. Null gives way to another type, two types give
// "various".
func (s seen) add(schema string, members map[string]json.RawMessage) {
	for name, raw := range members {
		if s[schema] == nil {
			s[schema] = map[string]string{}
		}
		switch kind, before := kindOf(raw), s[schema][name]; {
		case before == "" || before == "null" || before == "integer" && kind == "number":
			s[schema][name] = kind
		case kind != before && kind != "null" && (before != "number" || kind != "integer"):
			s[schema][name] = "various"
		}
	}
}

func kindOf(raw json.RawMessage) string {
	switch text := string(raw); {
	case text == "null":
		return text
	case text[0] == '"':
		return "string"
	case text[0] == '[':
		return "array"
	case text[0] == '{':
		return "object"
	case text == "true", text == "false":
		return "boolean"
	case strings.ContainsAny(text, ".eE"):
		return "number"
	default:
		return "integer"
	}
}

// unknown returns members that our document lacks.
func unknown(ours *openapi3.T, s seen) (found []change) {
	for _, schema := range slices.Sorted(maps.Keys(s)) {
		for _, name := range slices.Sorted(maps.Keys(s[schema])) {
			if ours.Components.Schemas[schema].Value.Properties[name] != nil {
				continue
			}
			kind, lines := s[schema][name], ""
			if kind != "null" && kind != "various" {
				lines = describe(&openapi3.Schema{Type: &openapi3.Types{kind}}, "nullable: true\n")
			}
			c := member("live", schema, name, lines, "")
			c.what += ": " + kind
			found = append(found, c)
		}
	}
	return found
}
