package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
)

// ownPrices writes a price file. Lines have provider, model_hint, input_per_mtok and
// output_per_mtok.
func ownPrices(t *testing.T, lines ...string) (name string) {
	t.Helper()
	name = filepath.Join(t.TempDir(), "own.csv")
	text := "provider,model_hint,input_per_mtok,output_per_mtok\n" + strings.Join(lines, "\n") + "\n"
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	return name
}

func TestMeterCountsAHostAtItsOwnPrices(t *testing.T) {
	t.Parallel()
	s, _ := startProvidersForAgent(t)
	host := strings.TrimPrefix(s.URL, "http://")
	env := []string{"OPENAI_BASE_URL=" + s.URL + "/openai/v1"}
	own := ownPrices(t, "groq,gpt-4o,1,2", "local,gpt-4o,0,0")
	later := ownPrices(t, "groq,gpt-4o,2,4")
	for _, c := range []struct{ host, row string }{
		{host + "=openai:groq", `groq +gpt-4o +1 +100 +20 +0 +0\.00014`},
		{host + "=OpenAI:local", `local +gpt-4o +1 +100 +20 +0 +0`},
		{"127.0.0.1=openai", `openai +gpt-4o +1 +100 +20 +0 +0\.00045`},
		{host + "=openai:nowhere", `nowhere +gpt-4o +1 +100 +20 +1 +-`},
	} {
		_, stderr, status := runMeter(t, env, "--host", c.host, "--prices", own, "--", "caller", "chat")
		assert.Equal(t, 0, status, c.host)
		assert.Regexp(t, "(?m)^"+c.row+"$", stderr, c.host)
		assert.NotContains(t, stderr, "no provider's host", c.host)
	}
	env = append(env, "MESH_PRICES="+own+string(os.PathListSeparator)+later)
	_, stderr, _ := runMeter(t, env, "--host", host+"=openai:groq", "--budget", "1", "--", "caller", "chat")
	assert.Regexp(t, `(?m)^groq +gpt-4o +1 +100 +20 +0 +0\.00028$`, stderr, "the last file wins")
	assert.Contains(t, stderr, "spent: 0.00028")
	assert.NotContains(t, stderr, "warning")
	_, stderr, _ = runMeter(t, env, "--host", host+"=openai:groq", "--prices", own, "--", "caller", "chat")
	assert.Regexp(t, `(?m)^groq .* 0\.00014$`, stderr, "the flag replaces the variable")
	_, stderr, _ = runMeter(t, env, "--host", host+"=openai:groq", "--upstream", "openai="+s.URL+"/openai/v1", "--", "caller", "chat")
	assert.Regexp(t, `(?m)^openai .* 0\.00045$`, stderr, "--upstream names the provider")
}

func TestMeterRefusesWrongHostsAndPrices(t *testing.T) {
	t.Parallel()
	wrong, short := ownPrices(t, "groq,llama,1,2", "groq,llama,1,two"), ownPrices(t, "groq,llama,1")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--host", "llm.example.com"}, `--host llm.example.com: API "" must be openai, deepseek, anthropic, gemini, xai, converse, invoke, cohere or ollama, or a platform: openrouter, bedrock, vertex or azure`},
		{[]string{"--host", "llm.example.com=azure:eu"}, `--host llm.example.com: REGION "eu" must be global, data-zone or regional`},
		{[]string{"--host", "llm.example.com=groq"}, `--host llm.example.com: API "groq" must be openai, `},
		{[]string{"--host", "llm.example.com=openai:"}, `--host llm.example.com: NAME "" must be a provider, or your own name`},
		{[]string{"--host", "llm.example.com=openai:a/b"}, `NAME "a/b" must be a provider, or your own name`},
		{[]string{"--host", "llm.example.com:99999=openai"}, "HOST must have a port from 1 to 65535"},
		{[]string{"--host", "llm.example.com:0=openai"}, "HOST must have a port from 1 to 65535"},
		{[]string{"--host", "llm.example.com:=openai"}, "HOST must have a port from 1 to 65535"},
		{[]string{"--host", "llm.example.com:https=openai"}, "HOST must have a port from 1 to 65535"},
		{[]string{"--host", "=openai"}, "HOST must be a host or host:port"},
		{[]string{"--host", ":443=openai"}, "HOST must be a host or host:port"},
		{[]string{"--host", ".example.com=openai"}, "HOST must be a host or host:port"},
		{[]string{"--host", "llm..example.com=openai"}, "HOST must be a host or host:port"},
		{[]string{"--upstream", "openai=https://llm.example.com:99999/v1"}, "--upstream openai: must have a port from 1 to 65535"},
		{[]string{"--charges-only"}, "--charges-only needs --budget"},
		{[]string{"--azure", "eu"}, `--azure "eu" must be the deployment kind: global, data-zone or regional`},
		{[]string{"--prices", wrong}, "--prices: " + wrong + ": \"two\" is wrong in line 3, column output_per_mtok"},
		{[]string{"--prices", short}, "--prices: " + short + ": line 2: must have as many cells as there are columns"},
		{[]string{"--prices", wrong + "x"}, "--prices: " + wrong + "x: "},
		{[]string{"--prices", filepath.Dir(wrong)}, "--prices: " + filepath.Dir(wrong) + ": "},
	} {
		stdout, stderr, status := runMeter(t, nil, append(c.args, "--", "caller", "env")...)
		assert.Equal(t, exit.Usage, status, c.args)
		assert.Contains(t, stderr, c.want, c.args)
		assert.Empty(t, stdout, c.args)
	}
	_, stderr, status := runMeter(t, []string{"MESH_PRICES=" + wrong}, "--", "caller", "env")
	assert.Equal(t, exit.Usage, status)
	assert.Contains(t, stderr, "mesh: MESH_PRICES: "+wrong+": \"two\" is wrong in line 3, column output_per_mtok")
}
