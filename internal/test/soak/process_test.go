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

// process is the gateway process as the test uses it.
type process struct {
	address string
	cmd     *exec.Cmd

	mu      sync.Mutex
	orders  *json.Encoder
	answers *json.Decoder
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
	p := &process{cmd: cmd, orders: json.NewEncoder(stdin), answers: json.NewDecoder(bufio.NewReader(stdout))}
	require.NoError(t, p.answers.Decode(&p.address), "the gateway prints its address")
	return p
}

// do gives an order and reads the answer, if there is one.
func (p *process) do(t *testing.T, o order, answer any) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	assert.NoError(t, p.orders.Encode(o))
	if answer != nil {
		assert.NoError(t, p.answers.Decode(answer))
	}
}

// handled reports that a message is about to be marked read.
func (p *process) handled(t *testing.T, at place) {
	t.Helper()
	p.do(t, order{Command: handled, Place: at, At: time.Now()}, nil)
}

// heal ends the faults.
func (p *process) heal(t *testing.T) {
	t.Helper()
	p.do(t, order{Command: heal}, &p.address)
}

// outage is how long the gateway is away in a restart.
const outage = 200 * time.Millisecond

// restart stops the gateway and starts it again, with a new database if between is not nil.
func (p *process) restart(t *testing.T, between func(replacement)) {
	t.Helper()
	p.do(t, order{Command: stop}, &p.address)
	wait(t.Context(), outage)
	if between != nil {
		var ended replacement
		p.do(t, order{Command: replace}, &ended)
		between(ended)
	}
	p.do(t, order{Command: start}, &p.address)
}

// finish ends the gateway and returns its account.
func (p *process) finish(t *testing.T) account {
	t.Helper()
	var a account
	p.do(t, order{Command: finish}, &a)
	return a
}
