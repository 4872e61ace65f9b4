package scan_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/scan"
)

func TestRedact(t *testing.T) {
	akia := made("AKIA", "Z", 16)
	secret := made("", "b", 40)
	for name, c := range map[string]struct {
		content, want string
		tokens        []string
	}{
		"clean":            {content: "nothing to see, not even é or \xff", want: "nothing to see, not even é or \xff"},
		"empty":            {content: "", want: ""},
		"one":              {content: "a " + akia + " b", want: "a [REDACTED:aws-access-key-id] b"},
		"no end bound":     {content: akia + "x", want: "[REDACTED:aws-access-key-id]x"},
		"two":              {content: akia + "\n" + made("xai-", "a", 40), want: "[REDACTED:aws-access-key-id]\n[REDACTED:xai-api-key]"},
		"two rules":        {content: made("sk-", "0f", 16), want: "[REDACTED:openai-api-key]"},
		"overlapping":      {content: strings.Repeat("a/", 15) + akia + " aws", want: "[REDACTED:aws-access-key-id] aws"},
		"nested":           {content: "sk-ant-" + made("sk-", "a", 30) + "!", want: "[REDACTED:anthropic-api-key]!"},
		"nested, later":    {content: made("pypi-", "a", 20) + "-" + made("sk-ant-", "a", 20), want: "[REDACTED:pypi-token]"},
		"glued keys":       {content: akia + akia + akia + "end", want: "[REDACTED:aws-access-key-id][REDACTED:aws-access-key-id][REDACTED:aws-access-key-id]end"},
		"glued kinds":      {content: akia + made("sk-", "a", 20) + " end", want: "[REDACTED:aws-access-key-id][REDACTED:openai-api-key] end"},
		"glued at the end": {content: akia + akia, want: "[REDACTED:aws-access-key-id][REDACTED:aws-access-key-id]"},
		"glued, no boundary": {
			content: akia + made("", "/", 80) + " aws", want: "[REDACTED:aws-access-key-id]" + made("", "/", 60) + " aws",
		},
		"two rules behind a cut": {
			content: akia + made("", "b", 20) + akia + made("", "c", 20) + " aws",
			want:    "[REDACTED:aws-access-key-id][REDACTED:aws-access-key-id] aws",
		},
		"cut mid-run":    {content: made("AIza", "a", 35) + "eyJ" + jwtOf(15, 15, 15), want: "[REDACTED:google-api-key][REDACTED:jwt]"},
		"later word":     {content: secret + secret + secret[:39] + " aws", want: "[REDACTED:aws-secret-key][REDACTED:aws-secret-key]" + secret[:39] + " aws"},
		"word written":   {content: "x " + secret + " y " + akia, want: "x [REDACTED:aws-secret-key] y [REDACTED:aws-access-key-id]"},
		"mesh":           {content: made("", "a", 50) + "MESH_GATEWAY_TOKEN", want: "[REDACTED:mesh-gateway-token]MESH_GATEWAY_TOKEN"},
		"a live token":   {content: "<" + liveToken + ">", want: "<[REDACTED:live-gateway-token]>", tokens: []string{liveToken}},
		"token in a key": {content: "sk-" + liveToken + "-x y", want: "[REDACTED:live-gateway-token] y", tokens: []string{liveToken}},
		"tokens side by side": {
			content: "+" + liveToken + liveToken + "+", want: "+[REDACTED:live-gateway-token][REDACTED:live-gateway-token]+", tokens: []string{liveToken},
		},
		"a token inside the replacement": {
			content: "a live-gateway-token b", want: "a [REDACTED] b", tokens: []string{"live-gateway-token"},
		},
		"a token that straddles the replacement": {
			content: akia + "/0123456789abc", want: "[REDACTED:aws-access-key[REDACTED:live-gateway-token]bc",
			tokens: []string{"-id]/0123456789a"},
		},
		// Each replacement completes another token with the x before it, until the
		// replacements have no names.
		"a token that is a replacement and more": {
			content: made("", "x", 1000) + "x[REDACTED:live-gateway-token]", want: made("", "x", 992) + "[REDACTED]",
			tokens: []string{"x[REDACTED:live-gateway-token]"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := scannerFor(c.tokens, false)
			redacted := s.Redact(c.content)
			assert.Equal(t, c.want, redacted)
			assert.Empty(t, s.FindAll(redacted))
			assert.Equal(t, redacted, s.Redact(redacted), "Redact is idempotent")
		})
	}
}

func TestRedactExtended(t *testing.T) {
	s := scan.New(scan.WithExtendedRules())
	for content, want := range map[string]string{
		"a " + made("hf_", "a", 34) + "!":                          "a [REDACTED:huggingface-token]!",
		made("AKIA", "Z", 16) + made("ghu_", "a", 30) + " end":     "[REDACTED:aws-access-key-id][REDACTED:github-user-token] end",
		made("", made("ASIA", "Z", 16), 12):                        strings.Repeat("[REDACTED:aws-other-key-id]", 12),
		"ghs_1_" + jwtOf(40, 40, 40) + ".":                         "[REDACTED:github-app-token].",
		"key:\n" + pem("EC PRIVATE KEY", 64) + "\nend":             "key:\n[REDACTED:pem-private-key]\nend",
		pem("EC PRIVATE KEY", 64) + pem("RSA PRIVATE KEY", 64):     "[REDACTED:pem-private-key][REDACTED:pem-private-key]",
		"-----BEGIN PRIVATE KEY-----" + made("sk-", "a", 80) + "!": "-----BEGIN PRIVATE KEY-----[REDACTED:openai-api-key]!",
	} {
		redacted := s.Redact(content)
		assert.Equal(t, want, redacted)
		assert.Empty(t, s.FindAll(redacted))
	}
}
