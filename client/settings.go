package client

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/mesh-gateway/mesh-go/internal/secret"
)

// setToken takes a trimmed token. One that cannot stand in a header is refused without being shown: net/http would
// refuse it at the first request, and show it.
func (s *settings) setToken(token string) error {
	for i := range len(token) {
		if c := token[i]; c <= ' ' || c >= 0x7f {
			return &ValueError{Field: "token", Reason: "has a blank, a control or a non-ASCII character and cannot stand in a header"}
		}
	}
	s.token = secret.New(token)
	return nil
}

// setGatewayURL takes a trimmed URL. A refusal never shows it: user info and query may hold a credential.
func (s *settings) setGatewayURL(text string) error {
	if text == "" {
		return &ValueError{Field: "gateway URL", Reason: "is not given: pass WithGatewayURL or set MESH_GATEWAY_URL"}
	}
	u, err := url.Parse(text)
	if err != nil {
		return &ValueError{Field: "gateway URL", Reason: "cannot be read as a URL"}
	}
	if reason := refuseURL(u, text); reason != "" {
		return &ValueError{Field: "gateway URL", Reason: reason}
	}
	s.gatewayURL = strings.TrimRight(u.String(), "/")
	return nil
}

// refuseURL says what is wrong with a base URL. The generated client would drop the base path of one with a query, and
// accept one without a scheme only to fail at the first request.
func refuseURL(u *url.URL, text string) string {
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return "has to begin with http:// or https://"
	case u.Hostname() == "":
		return "has no host"
	case u.Port() != "" && !validPort(u.Port()):
		return "has a port that is none"
	case u.User != nil:
		return "has user info; pass the token with WithToken"
	case strings.ContainsAny(text, "?#"):
		return "has a query or a fragment"
	}
	return ""
}

// checkAliases refuses an alias that stands for no name, and the empty one, which would stand for whatever is not given.
func (s *settings) checkAliases() error {
	for alias, name := range s.aliases {
		if alias == "" {
			return &ValueError{Field: "alias", Reason: "is empty"}
		}
		if err := s.guard.checkNodeName("alias", name); err != nil {
			return err
		}
	}
	return nil
}

func validPort(text string) bool {
	port, err := strconv.ParseUint(text, 10, 16)
	return err == nil && port > 0
}

// setNode takes the own name. One that breaks the rules is only logged (SPEC.md, Client operations, rule 2).
func (s *settings) setNode(node string) error {
	if strings.TrimSpace(node) == "" {
		return &ValueError{Field: "node", Reason: "is empty"}
	}
	s.node = canonical(s.aliases, node)
	if s.skipNodeName {
		return nil
	}
	if err := s.guard.checkNodeName("node", s.node); err != nil {
		s.logger.Warn("own node name breaks the rules and is used all the same", "error", err)
	}
	return nil
}
