package meter_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

func TestNilOptionIsIgnored(t *testing.T) {
	t.Parallel()
	_, err := meter.New(nil, meter.WithStreamUsage(), nil)
	require.NoError(t, err)
}

func TestWrongOptions(t *testing.T) {
	t.Parallel()
	const password = "a-password"
	for name, opt := range map[string]meter.Option{
		"no host":     meter.WithHost("", models.OpenAI),
		"a URL":       meter.WithHost("https://api.openai.com", models.OpenAI),
		"a password":  meter.WithHost("https://me:"+password+"@host", models.OpenAI),
		"a path":      meter.WithHost("host/v1", models.OpenAI),
		"a provider":  meter.WithHost("host", "none"),
		"no recorder": meter.WithRecorder(nil),
		"no logger":   meter.WithLogger(nil),
	} {
		m, err := meter.New(opt)
		var wrong *discovery.ValueError
		assert.ErrorAs(t, err, &wrong, name)
		assert.Nil(t, m, name)
		assert.NotContains(t, err.Error(), password)
	}
}
