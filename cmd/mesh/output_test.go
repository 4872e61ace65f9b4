package main

import (
	"bytes"
	"os"
	"os/exec"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestClosedPipeEndsQuietly(t *testing.T) {
	t.Parallel()
	reader, writer, err := os.Pipe()
	require.NoError(t, err)
	require.NoError(t, reader.Close())
	var stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "mesh", "prices")
	cmd.Stdout, cmd.Stderr = writer, &stderr
	require.Error(t, cmd.Run(), "there is no reader")
	require.NoError(t, writer.Close())
	assert.NotContains(t, stderr.String(), "goroutine")
	assert.NotContains(t, stderr.String(), "panic")
}

func TestProgress(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		takes time.Duration
		want  string
	}{
		"an answer within a second":   {900 * time.Millisecond, ""},
		"an answer after two seconds": {2 * time.Second, "waiting for an answer …\r\x1b[K"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var terminal bytes.Buffer
				p := progress{w: &terminal}
				p.start()
				p.start()
				time.Sleep(test.takes)
				synctest.Wait()
				p.stop()
				p.stop()
				time.Sleep(time.Minute)
				synctest.Wait()
				assert.Equal(t, test.want, terminal.String())
			})
		})
	}
	var p progress
	p.start()
	p.stop()
}

func TestAges(t *testing.T) {
	t.Parallel()
	for age, want := range map[time.Duration]string{
		-time.Hour: "in the future", -time.Second: "now", 59 * time.Second: "now", 61 * time.Second: "1m ago", 90 * time.Minute: "1h ago",
		47 * time.Hour: "47h ago", 48 * time.Hour: "2d ago",
	} {
		assert.Equal(t, want, ago(age), age)
	}
	assert.Equal(t, "yesterday", when("yesterday"), "a time in another format stays as it is")
}
