package soak_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

const token = "example.token.of.the.soak"

func nodeName(i int) string { return fmt.Sprintf("node-%03d", i) }

// command is a line from the test to the gateway process, which answers with one JSON
// value.
type command struct {
	Name    commandName
	Message messageID // for setHandled
}

type commandName string

const (
	// stopServer closes the port and all connections, startServer opens the port again.
	// Both return the address.
	stopServer  commandName = "stop"
	startServer commandName = "start"
	// replaceDatabase starts a new database while the server is stopped. It returns a
	// replacement.
	replaceDatabase commandName = "replace"
	// skipIDs raises ids above all earlier databases' ids, so that a late MarkRead for an
	// old message can't mark a later one. It returns the address.
	skipIDs commandName = "skip ids"
	// setHandled announces that a node is about to mark a message. It returns the
	// message.
	setHandled commandName = "handled"
	// hangMarks makes every MarkRead hang until the database is replaced. It returns the
	// address, and so does endFaults.
	hangMarks commandName = "hang marks"
	endFaults commandName = "heal"
	// finish returns a gatewayReport.
	finish commandName = "finish"
)

type replacement struct {
	// At is between the old database's last message and the new one's first.
	At time.Time
	// Lost has the task ids whose messages were unread in the old database.
	Lost []string
}

type gatewayReport struct {
	faultCounts
	markOrder
	// Stored counts messages in all databases, Unread only in the last one.
	Stored, Unread int
}

// gatewayProcess is a gateway that restarts on the same address, with the databases it
// has had.
type gatewayProcess struct {
	address  string
	nodes    []string
	faults   *faultInjector
	marks    *markTracker
	server   *http.Server
	requests *requestGate
	database *gatewaytest.Gateway // current
	// stored counts messages in earlier databases, except for skipped ids in all of them.
	// lastID is the highest id in one.
	stored int
	lastID int64
}

// runGateway is the gateway process. It prints its address, then executes commands from
// standard input.
func runGateway(nodes int, seed uint64) error {
	p := &gatewayProcess{address: "127.0.0.1:0", faults: newFaultInjector(seed), marks: newMarkTracker()}
	for i := range nodes {
		p.nodes = append(p.nodes, nodeName(i))
	}
	p.newDatabase()
	if err := answer(p.start()); err != nil {
		return err
	}
	for commands := json.NewDecoder(bufio.NewReader(os.Stdin)); ; {
		var c command
		err := commands.Decode(&c)
		if errors.Is(err, io.EOF) {
			return nil // the test has ended
		}
		if err == nil {
			err = p.execute(c)
		}
		if err != nil {
			return err
		}
	}
}

func (p *gatewayProcess) execute(c command) error {
	switch c.Name {
	case stopServer:
		return answer(p.stop())
	case startServer:
		return answer(p.start())
	case replaceDatabase:
		return answer(p.replace())
	case skipIDs:
		p.skipIDs()
		return answer(p.address, nil)
	case setHandled:
		p.marks.setHandled(c.Message)
		return answer(c.Message, nil)
	case hangMarks:
		p.faults.hangMarks()
		return answer(p.address, nil)
	case endFaults:
		p.database.Heal()
		return answer(p.address, nil)
	case finish:
		return answer(p.finish())
	}
	return fmt.Errorf("unknown command %q", c.Name)
}

func answer(result any, err error) error {
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(result)
}

func (p *gatewayProcess) newDatabase() {
	p.database = gatewaytest.Start(gatewaytest.WithToken(token), gatewaytest.WithPeers(p.nodes...), gatewaytest.WithoutRequestLog())
	p.database.FailIf(func(r gatewaytest.Request) *gatewaytest.Fault {
		p.marks.requested(r)
		return p.faults.choose(r)
	})
}

func (p *gatewayProcess) skipIDs() {
	for p.storeUnseen() < p.lastID {
	}
}

// storeUnseen stores a message that no node receives, and returns its id.
func (p *gatewayProcess) storeUnseen() int64 {
	p.stored--
	return p.database.Store("auditor", "auditor", "fyi", "not received")
}

func (p *gatewayProcess) start() (string, error) {
	listener, err := net.Listen("tcp", p.address)
	if err != nil {
		return "", err
	}
	p.address = listener.Addr().String()
	p.requests = &requestGate{next: p.database.Handler()}
	p.server = &http.Server{Handler: p.requests, ReadHeaderTimeout: time.Minute}
	go func() { _ = p.server.Serve(listener) }()
	return p.address, nil
}

// stop also waits for requests in progress.
func (p *gatewayProcess) stop() (string, error) {
	err := p.server.Close()
	p.requests.close()
	return p.address, err
}

// requestGate tracks requests in progress and rejects new ones after close.
// http.Server.Close doesn't wait for requests, so one of them could store its message
// after the database was counted.
type requestGate struct {
	next http.Handler

	mu     sync.RWMutex // every request holds a read lock
	closed bool
}

func (g *requestGate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	if g.closed {
		panic(http.ErrAbortHandler)
	}
	g.next.ServeHTTP(w, r)
}

func (g *requestGate) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
}

func (p *gatewayProcess) replace() (replacement, error) {
	lost, err := p.endDatabase()
	if err != nil {
		return replacement{}, err
	}
	p.faults.nextDatabase()
	p.marks.nextDatabase()
	p.newDatabase()
	return replacement{At: time.Now(), Lost: lost}, nil
}

func (p *gatewayProcess) finish() (gatewayReport, error) {
	if _, err := p.stop(); err != nil {
		return gatewayReport{}, err
	}
	unread, err := p.endDatabase()
	return gatewayReport{faultCounts: p.faults.counts, markOrder: p.marks.order, Stored: p.stored, Unread: len(unread)}, err
}

// endDatabase counts the database's messages, closes it, and returns the unread messages'
// task ids.
func (p *gatewayProcess) endDatabase() (unread []string, err error) {
	defer p.database.Close()
	p.database.Heal()
	c, err := client.New("auditor", p.database.Options()...)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	for _, inbox := range p.nodes {
		rows, err := c.Fetch(context.Background(), client.FetchOptions{ToNode: inbox, UnreadOnly: true, Limit: 1000})
		if err != nil {
			return nil, err
		}
		for _, m := range rows {
			unread = append(unread, taskID(m))
		}
	}
	id := p.storeUnseen() // ids have no gaps
	p.stored += int(id)
	p.lastID = max(p.lastID, id)
	return unread, nil
}
