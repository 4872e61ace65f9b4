package output_test

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/facts"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/internal/wire"
)

func TestTimes(t *testing.T) {
	t.Parallel()
	for age, want := range map[time.Duration]string{
		-time.Hour: "in the future", -time.Second: "now", 59 * time.Second: "now", 61 * time.Second: "1m ago", 90 * time.Minute: "1h ago",
		47 * time.Hour: "47h ago", 48 * time.Hour: "2d ago",
	} {
		synctest.Test(t, func(t *testing.T) { // the clock starts at 2000-01-01 and only advances in pauses
			at := time.Now().Add(-age).UTC()
			assert.Equal(t, at.Format("2006-01-02 15:04")+" UTC ("+want+")", output.Time(at.Format(time.RFC3339)))
		})
	}
	assert.Equal(t, "yesterday", output.Time("yesterday"), "a time in another format stays as it is")
}

func TestErrorsNameNoPackage(t *testing.T) {
	t.Parallel()
	_, err := client.New("", client.WithGatewayURL("http://127.0.0.1"))
	require.ErrorContains(t, err, "mesh: node")
	assert.Equal(t, "node must not be empty", output.Error(err))
	assert.Equal(t, "line 3: node must not be empty", output.Error(fmt.Errorf("line 3: %w", err)))
	_, err = models.ParseProvider("nobody")
	assert.Equal(t, "a.jsonl:3: provider \"nobody\" is not one of openai, deepseek, anthropic, gemini, xai\na.jsonl:4: cut", output.Error(errors.Join(
		&calls.LineError{File: "a.jsonl", Line: 3, Err: err}, &calls.LineError{File: "a.jsonl", Line: 4, Err: errors.New("cut")})))
	old := &discovery.Failure{Operation: "UpdateFacts", Reason: discovery.ReasonPartial, Err: facts.ErrOld}
	assert.Equal(t, "facts: partial: not newer", output.Error(old))
}

func TestFilesAndKeysWithTheNameOfAPackageStay(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "calls: no such file", output.Error(errors.New("calls: no such file")))
	key := &wire.Error{Path: "models", Err: errors.New("got number, want array")}
	assert.Equal(t, "gemini: decode: "+key.Error(), output.Error(&discovery.Failure{
		Operation: "ListModels", Provider: models.Gemini, Reason: discovery.ReasonDecode, Err: key,
	}))
}
