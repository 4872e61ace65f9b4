package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

const (
	askerName  = "quickstart-asker"
	helperName = "quickstart-helper"
)

// conversation holds two nodes on the same gateway.
type conversation struct {
	asker, helper *client.MeshClient
}

// messaging demonstrates the gateway: two nodes register, one asks, the other answers,
// and two messages are refused.
func messaging(ctx context.Context, p *page) error {
	p.section("Gateway")
	if p.real && os.Getenv("MESH_GATEWAY_URL") != "" {
		p.line("the real one, in MESH_GATEWAY_URL")
		if err := converse(ctx, p, nil); err != nil {
			return fmt.Errorf("gateway in MESH_GATEWAY_URL (an example of a URL is http://127.0.0.1:8787/gateway): %w", err)
		}
		return nil
	}
	g := gatewaytest.Start(gatewaytest.WithToken("an-example-token"))
	defer g.Close()
	p.line("in memory at %s (-real and MESH_GATEWAY_URL: a real one)", g.URL)
	return converse(ctx, p, g.Options())
}

func converse(ctx context.Context, p *page, opts []client.Option) error {
	asker, err := client.New(askerName, opts...)
	if err != nil {
		return err
	}
	defer asker.Close()
	helper, err := client.New(helperName, opts...)
	if err != nil {
		return err
	}
	defer helper.Close()
	c := conversation{asker: asker, helper: helper}
	for _, step := range []func(context.Context, *page) error{
		c.register, c.listPeers, c.ask, c.answer, c.inbox, c.sendCredential, c.sendToUnknownNode,
	} {
		if err := step(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

func (c conversation) register(ctx context.Context, p *page) error {
	p.section("Two nodes register")
	for _, node := range []*client.MeshClient{c.asker, c.helper} {
		peer, err := node.Register(ctx, client.RegisterRequest{
			URL:          "http://" + node.Node() + ":8787",
			Capabilities: map[string]any{"runtime": "go"},
		})
		if err != nil {
			return err
		}
		shown := "none, the node is already registered"
		if peer.PeerToken != nil {
			shown = fmt.Sprintf("%v (shown once; Reveal returns it)", peer.PeerToken)
		}
		p.line("%-18s peer token: %s", peer.Name, shown)
	}
	return nil
}

func (c conversation) listPeers(ctx context.Context, p *page) error {
	p.section("The peers")
	peers, err := c.asker.ListPeers(ctx)
	if err != nil {
		return err
	}
	for _, peer := range peers {
		url := "no URL"
		if peer.URL != nil {
			url = *peer.URL
		}
		p.line("%-18s %-32s enabled=%t", peer.Name, url, peer.Enabled)
	}
	return nil
}

func (c conversation) ask(ctx context.Context, p *page) error {
	p.section("A question")
	receipt, err := c.asker.Send(ctx, client.SendRequest{
		To: helperName, Kind: client.KindQuestion, Content: "How far is the nightly build?",
	})
	if err != nil {
		return err
	}
	p.line("message %d, %s → %s, stored %s", receipt.ID, receipt.FromNode, receipt.ToNode, receipt.CreatedAt)
	return nil
}

// answer replies to the question in the helper's inbox and marks it read.
func (c conversation) answer(ctx context.Context, p *page) error {
	p.section("The answer")
	unread, err := c.helper.Fetch(ctx, client.FetchOptions{UnreadOnly: true})
	if err != nil {
		return err
	}
	for _, m := range unread {
		if m.FromNode != askerName || m.Kind != client.KindQuestion {
			continue
		}
		p.line("%s reads: %q", helperName, text(m))
		if _, err := c.helper.Send(ctx, client.SendRequest{To: m.FromNode, Kind: client.KindAnswer, Content: "All green."}); err != nil {
			return err
		}
		if err := c.helper.MarkRead(ctx, m.ID); err != nil {
			return err
		}
		p.line("answered, and message %d is marked read", m.ID)
	}
	return nil
}

func (c conversation) inbox(ctx context.Context, p *page) error {
	p.section("The asker's inbox")
	inbox, err := c.asker.Fetch(ctx, client.FetchOptions{UnreadOnly: true, Limit: 5})
	if err != nil {
		return err
	}
	for _, m := range inbox {
		p.line("%d  %-8s from %s: %q", m.ID, m.Kind, m.FromNode, text(m))
		if err := c.asker.MarkRead(ctx, m.ID); err != nil {
			return err
		}
	}
	left, err := c.asker.Fetch(ctx, client.FetchOptions{UnreadOnly: true, Limit: 5})
	p.line("marked read; %d unread now", len(left))
	return err
}

func (c conversation) sendCredential(ctx context.Context, p *page) error {
	p.section("A message with a credential is refused")
	key := "sk-ant-" + strings.Repeat("example", 4) // built here, so that no scanner reports this file
	_, err := c.asker.Send(ctx, client.SendRequest{To: helperName, Kind: client.KindFYI, Content: "use " + key})
	var leak *client.MeshSecretLeakError
	if !errors.As(err, &leak) {
		return fmt.Errorf("a credential was not refused: %w", err)
	}
	p.line("refused by rule %d, %s, at bytes %d to %d", leak.Finding.Rule.Number, leak.Finding.Rule.Name, leak.Finding.Start, leak.Finding.End)
	p.line("%s", leak.Finding.Rule.Advice)
	return nil
}

func (c conversation) sendToUnknownNode(ctx context.Context, p *page) error {
	p.section("A message to an unknown node is refused")
	_, err := c.asker.Send(ctx, client.SendRequest{To: "quickstart-helpr", Kind: client.KindFYI, Content: "hello?"})
	var absent *client.NotInRegistryError
	if !errors.As(err, &absent) {
		return fmt.Errorf("an unknown recipient was not refused: %w", err)
	}
	p.line("%v", err)
	return nil
}

func text(m client.MeshMessage) string {
	if m.Content == nil {
		return ""
	}
	return *m.Content
}
