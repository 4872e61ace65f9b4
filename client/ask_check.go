package client

import (
	"cmp"
	"context"
	"slices"
)

// checkAsk validates a question to several nodes, sets its kind, and returns the names of the nodes after aliases.
func (c *MeshClient) checkAsk(to []string, req *SendRequest) ([]string, error) {
	if req.To != "" {
		return nil, invalid("To", "must be empty; the recipients are in to")
	}
	if req.Kind != "" && req.Kind != KindQuestion {
		return nil, c.redactor.nameError("Kind", string(req.Kind), "must be empty or question")
	}
	req.Kind = KindQuestion
	if len(to) == 0 {
		return nil, invalid("to", "must not be empty")
	}
	nodes := make([]string, len(to))
	for i := range to {
		nodes[i] = resolveAlias(c.aliases, to[i])
		if err := c.redactor.checkMessage(nodes[i], *req); err != nil {
			return nil, err
		}
		if nodes[i] == c.node {
			return nil, c.redactor.nameError("To", nodes[i], "must not be the client's own node")
		}
		if slices.Contains(nodes[:i], nodes[i]) {
			return nil, c.redactor.nameError("to", nodes[i], "must not contain a node twice")
		}
	}
	return nodes, nil
}

// checkQuestions validates the questions of Await.
func (c *MeshClient) checkQuestions(ctx context.Context, questions []MeshMessage) error {
	if err := c.ready(ctx); err != nil {
		return err
	}
	seen := make(map[int64]bool, len(questions))
	for _, q := range questions {
		if err := cmp.Or(checkMessageID(q.ID), c.redactor.checkNodeName("ToNode", q.ToNode), checkText("ThreadID", q.GetThreadID())); err != nil {
			return err
		}
		if q.FromNode != "" && q.FromNode != c.node {
			return c.redactor.nameError("FromNode", q.FromNode, "must be empty or the client's own node")
		}
		if seen[q.ID] {
			return invalidValue("questions", q.ID, "must not contain a question twice")
		}
		seen[q.ID] = true
	}
	return nil
}
