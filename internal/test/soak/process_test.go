package soak_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// process is the gateway process as the test sees it.
type process struct {
	address string
	cmd     *exec.Cmd

	mu       sync.Mutex
	commands *json.Encoder
	answers  *json.Decoder
}

func startGateway(t *testing.T, nodes int, seed uint64) *process {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), self, "-gateway", fmt.Sprint(nodes), "-seed", fmt.Sprint(seed))
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = stdin.Close(); _ = cmd.Wait() })
	p := &process{cmd: cmd, commands: json.NewEncoder(stdin), answers: json.NewDecoder(bufio.NewReader(stdout))}
	require.NoError(t, p.answers.Decode(&p.address), "the gateway prints its address")
	return p
}

func (p *process) call(t *testing.T, c command, result any) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	assert.NoError(t, p.commands.Encode(c))
	assert.NoError(t, p.answers.Decode(result))
}

// setHandled announces that a message is about to be marked.
func (p *process) setHandled(t *testing.T, id messageID) {
	t.Helper()
	p.call(t, command{Name: setHandled, Message: id}, &id)
}

// skipIDs raises new ids above those in earlier databases.
func (p *process) skipIDs(t *testing.T) {
	t.Helper()
	p.call(t, command{Name: skipIDs}, &p.address)
}

// hangMarks makes every MarkRead hang until the database is replaced.
func (p *process) hangMarks(t *testing.T) {
	t.Helper()
	p.call(t, command{Name: hangMarks}, &p.address)
}

func (p *process) endFaults(t *testing.T) {
	t.Helper()
	p.call(t, command{Name: endFaults}, &p.address)
}

// outage is how long a restart takes.
const outage = 200 * time.Millisecond

// restart also replaces the database if onReplaced isn't nil.
func (p *process) restart(t *testing.T, onReplaced func(replacement)) {
	t.Helper()
	p.call(t, command{Name: stopServer}, &p.address)
	pause(t.Context(), outage)
	if onReplaced != nil {
		var ended replacement
		p.call(t, command{Name: replaceDatabase}, &ended)
		onReplaced(ended)
	}
	p.call(t, command{Name: startServer}, &p.address)
}

func (p *process) finish(t *testing.T) gatewayReport {
	t.Helper()
	var report gatewayReport
	p.call(t, command{Name: finish}, &report)
	return report
}
