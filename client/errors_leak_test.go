package client_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
)

// A heuristic rule matches a commit id if any later word contains aws.
func TestALeakErrorNamesTheWordOfAHeuristicRule(t *testing.T) {
	t.Parallel()
	const commit = "3b18e512dba79e4c8300dd08aeb37f8e728b8dad"
	for content, want := range map[string]string{
		commit + " has flaws.":                              "flaws",
		commit + " in aws":                                  "aws",
		commit + "xxaws yy":                                 "aws", // the letters before it follow the match
		commit + " " + long("a", 30) + "aws":                "aws",
		long("x", 48) + " export MESH_GATEWAY_TOKEN":        "MESH_GATEWAY_TOKEN",
		"sk-ant-" + long("x", 20) + " " + commit + " flaws": "",
	} {
		err := connect(t, gateway(t), "node-a").CheckSend(t.Context(), client.SendRequest{To: "node-b", Kind: "fyi", Content: content})
		var leak *client.MeshSecretLeakError
		require.ErrorAs(t, err, &leak, content)
		assert.Equal(t, want, leak.Word, content)
		assert.NotContains(t, err.Error(), commit[:8])
		if want == "flaws" {
			assert.Contains(t, err.Error(), `(rule 10, aws-secret-key, bytes 0 to 40)`)
			assert.Contains(t, err.Error(), `it applies because the text "aws" follows, in the word "flaws". If it is a false positive, allow it with SendRequest.AllowRules: []int{10}.`)
		}
	}
}
