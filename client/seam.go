package client

import (
	"context"

	"github.com/mesh-gateway/mesh-go/client/internal/seam"
	"github.com/mesh-gateway/mesh-go/gen/gateway"
	"github.com/mesh-gateway/mesh-go/internal/call"
)

func init() { seam.Of = func(c any) any { return c.(*MeshClient).seam() } } //nolint:forcetypeassert // no other type is passed

func (c *MeshClient) seam() seam.Client[SendRequest, ListMessagesOptions, RegisterRequest] {
	if c == nil || c.api == nil {
		return seam.Client[SendRequest, ListMessagesOptions, RegisterRequest]{Ready: c.ready}
	}
	r := c.redactor
	return seam.Client[SendRequest, ListMessagesOptions, RegisterRequest]{
		Ready: c.ready, Ended: c.ended, Sleep: c.sleep, WhileOpen: c.whileOpen, IsClosed: c.isClosed,
		Name: c.node, Shown: c.shownNode, Server: c.api.Server, MaxBytes: c.limits.MaxBytes, Log: c.log, State: &c.state,
		Resolve: func(name string) string { return resolveAlias(c.aliases, name) },
		Redact:  r.redact, RedactOwn: r.redactOwn, RedactError: r.redactError,
		NameError: r.nameError, CheckName: r.checkNodeName, CheckKind: r.checkKind, CheckQuery: ListMessagesOptions.check, Selects: ListMessagesOptions.selects,
		CheckMessage: r.checkMessage, CheckRecipient: c.checkRecipient, Scan: c.scanContent,
		CheckAndPost: c.send, Post: c.post, ReplyKey: c.replyKey, List: c.listMessages,
		Mark: func(ctx context.Context, id int64, once bool) error {
			op := opMarkRead(id)
			op.repeatable = !once
			return c.markRead(ctx, op, id)
		},
		CompleteRegistration: c.completeRegistration,
		Peer: func(ctx context.Context, name string) (*gateway.MeshPeer, error) {
			return c.findPeer(ctx, name, noCapabilities)
		},
		Peers: func(ctx context.Context) ([]gateway.MeshPeer, error) {
			peers, _, err := c.listPeers(ctx, noCapabilities)
			return peers, err
		},
		ListFailed: func(err error) error { return c.gatewayError(opListMessages, &call.Error{Err: err}, nil) },
	}
}
