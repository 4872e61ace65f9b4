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

// command is a line from the test to the gateway process, which answers every command with one JSON value.
type command struct {
	Name    commandName
	Message messageID // of setHandled
}

type commandName string

const (
	// stopServer closes the port and every connection, startServer opens the port again. Both are answered with the address.
	stopServer  commandName = "stop"
	startServer commandName = "start"
	// replaceDatabase begins a new database while the server is stopped. It is answered with a replacement.
	replaceDatabase commandName = "replace"
	// skipIDs raises the ids above those of the earlier databases, so that no late MarkRead for one of these can mark a message
	// that is stored afterwards. It is answered with the address.
	skipIDs commandName = "skip ids"
	// setHandled announces that a node is about to mark a message. It is answered with the message.
	setHandled commandName = "handled"
	// hangMarks lets every MarkRead hang until the database is replaced. It is answered with the address, as endFaults is.
	hangMarks commandName = "hang marks"
	endFaults commandName = "heal"
	// finish is answered with a gatewayReport.
	finish commandName = "finish"
)

// replacement describes the end of a database.
type replacement struct {
	// At is a time between the last message of the old database and the first one of the new one.
	At time.Time
	// Lost are the task ids of the messages that were unread in the old database.
	Lost []string
}

// gatewayReport is what the gateway knows at the end.
type gatewayReport struct {
	faultCounts
	markOrder
	// Stored counts the messages of all databases, Unread those of the last one.
	Stored, Unread int
}

// gatewayProcess is a gateway that restarts on one address, and the databases it has had.
type gatewayProcess struct {
	address  string
	nodes    []string
	faults   *faultInjector
	marks    *markTracker
	server   *http.Server
	requests *requestGate
	database *gatewaytest.Gateway // the current one
	// stored counts the messages of the earlier databases, without the skipped ids of all. lastID is the highest id in one.
	stored int
	lastID int64
}

// runGateway is the gateway process: it starts, prints its address and executes the commands from standard input.
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

// answer prints the result of a command.
func answer(result any, err error) error {
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(result)
}

// newDatabase creates an empty database.
func (p *gatewayProcess) newDatabase() {
	p.database = gatewaytest.Start(gatewaytest.WithToken(token), gatewaytest.WithPeers(p.nodes...), gatewaytest.WithoutRequestLog())
	p.database.FailIf(func(r gatewaytest.Request) *gatewaytest.Fault {
		p.marks.requested(r)
		return p.faults.choose(r)
	})
}

// skipIDs stores messages that no node receives.
func (p *gatewayProcess) skipIDs() {
	for p.storeUnseen() < p.lastID {
	}
}

// storeUnseen stores a message that no node receives and returns its id.
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

// stop closes the port and every connection, and waits for the requests in progress.
func (p *gatewayProcess) stop() (string, error) {
	err := p.server.Close()
	p.requests.close()
	return p.address, err
}

// requestGate tracks the requests in progress and rejects requests after close. http.Server.Close does not wait for requests:
// one of them could store its message after the database has been counted.
type requestGate struct {
	next http.Handler

	mu     sync.RWMutex // held for reading by every request
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

// replace ends the database and begins a new one.
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

// endDatabase counts the messages of the database, closes it and returns the task ids of the unread messages.
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
