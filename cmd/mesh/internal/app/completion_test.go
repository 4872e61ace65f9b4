package app

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSimilar(t *testing.T) {
	t.Parallel()
	names := []string{"listen", "fail", "from", "gateway-url", "gpt-5.2", "gpt-5.2-mini"}
	for unknown, want := range map[string]string{
		"lisen": "listen", "listne": "listen", "fial": "", "form": "", "fom": "from", "gatewayurl": "gateway-url", "bogus": "", "": "", "x": "",
		"gpt-5.22": "gpt-5.2", "gpt-52-mini": "gpt-5.2-mini", "listen": "listen",
	} {
		assert.Equal(t, want, Similar(unknown, names), unknown)
	}
}
