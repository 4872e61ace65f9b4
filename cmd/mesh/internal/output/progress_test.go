package output_test

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
)

func TestProgress(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		takes time.Duration
		want  string
	}{
		"an answer within a second":   {900 * time.Millisecond, ""},
		"an answer after two seconds": {2 * time.Second, "waiting for a response …\r\x1b[K"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var terminal bytes.Buffer
				p := output.Progress{W: &terminal}
				p.Start()
				p.Start()
				time.Sleep(test.takes)
				synctest.Wait()
				p.Stop()
				p.Stop()
				time.Sleep(time.Minute)
				synctest.Wait()
				assert.Equal(t, test.want, terminal.String())
			})
		})
	}
	var p output.Progress
	p.Start()
	p.Stop()
}
