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

// order is a line from the test to the gateway process.
type order struct {
	Command command
	// Place is a handled message, and At the time.
	Place place
	At    time.Time
}

type command string

const (
	// stop closes the port and every connection, start opens the port again. The gateway answers both with its address.
	stop  command = "stop"
	start command = "start"
	// replace begins a new database while the gateway is stopped. The gateway answers with a replacement.
	replace command = "replace"
	// handled reports that a node is about to mark a message. There is no answer.
	handled command = "handled"
	// heal ends the faults. The gateway answers with its address.
	heal command = "heal"
	// finish is answered with the account.
	finish command = "finish"
)

// replacement describes the end of a database.
type replacement struct {
	// At is a time between the last message of the old database and the first one of the new one.
	At time.Time
	// Lost are the task ids of the messages that were unread in the old database.
	Lost []string
}

// place is a message of a database. Ids begin anew in every database.
type place struct {
	Database int
	ID       int64
}

// gatewayProcess is a gateway that restarts on one address, and the databases it has had.
type gatewayProcess struct {
	address  string
	names    []string
	chaos    *chaos
	server   *http.Server
	requests *requests            // those in progress
	database *gatewaytest.Gateway // the current one
	// handled and marked have the time at which a message was handled first, and at which the first MarkRead of it arrived.
	handled, marked map[place]time.Time
}

// beGateway is the gateway process: it starts, prints its URL and carries out the orders from standard input.
func beGateway(nodes int, seed uint64) error {
	p := &gatewayProcess{
		address: "127.0.0.1:0", chaos: newChaos(seed), handled: make(map[place]time.Time), marked: make(map[place]time.Time),
	}
	for i := range nodes {
		p.names = append(p.names, nodeName(i))
	}
	p.begin()
	if err := p.answer(p.start()); err != nil {
		return err
	}
	for orders := json.NewDecoder(bufio.NewReader(os.Stdin)); ; {
		var o order
		if err := orders.Decode(&o); err != nil {
			return ignoreEOF(err)
		}
		if err := p.carryOut(o); err != nil {
			return err
		}
	}
}

func ignoreEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil // the test has ended
	}
	return err
}

func (p *gatewayProcess) carryOut(o order) error {
	switch o.Command {
	case stop:
		return p.answer(p.stop())
	case start:
		return p.answer(p.start())
	case replace:
		return p.answer(p.replace())
	case heal:
		p.database.Heal()
		return p.answer(p.address, nil)
	case handled:
		if _, again := p.handled[o.Place]; !again {
			p.handled[o.Place] = o.At
		}
		return nil
	default:
		return p.answer(p.finish())
	}
}

// answer prints what an order returned.
func (p *gatewayProcess) answer(result any, err error) error {
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(result)
}

// begin makes an empty database.
func (p *gatewayProcess) begin() {
	p.database = gatewaytest.Start(gatewaytest.WithToken(token), gatewaytest.WithPeers(p.names...), gatewaytest.WithoutRequestLog())
	p.database.FailIf(func(r gatewaytest.Request) *gatewaytest.Fault {
		p.chaos.noteMark(r, p.marked)
		return p.chaos.choose(r)
	})
}

func (p *gatewayProcess) start() (string, error) {
	listener, err := net.Listen("tcp", p.address)
	if err != nil {
		return "", err
	}
	p.address = listener.Addr().String()
	p.requests = &requests{next: p.database.Handler()}
	p.server = &http.Server{Handler: p.requests, ReadHeaderTimeout: time.Minute}
	go func() { _ = p.server.Serve(listener) }()
	return p.address, nil
}

// stop closes the port and every connection, and waits for the requests in progress.
func (p *gatewayProcess) stop() (string, error) {
	err := p.server.Close()
	p.requests.end()
	return p.address, err
}

// requests are the requests in progress. http.Server.Close does not wait for them, and one that stored its message after the
// database was counted would be a message too many.
type requests struct {
	next http.Handler

	mu    sync.RWMutex // held for reading by every request
	ended bool
}

func (r *requests) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if r.ended {
		panic(http.ErrAbortHandler)
	}
	r.next.ServeHTTP(w, request)
}

func (r *requests) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = true
}

// replace ends the database and begins a new one.
func (p *gatewayProcess) replace() (replacement, error) {
	lost, err := p.end()
	if err != nil {
		return replacement{}, err
	}
	p.chaos.nextDatabase()
	p.begin()
	return replacement{At: time.Now(), Lost: lost}, nil
}

func (p *gatewayProcess) finish() (account, error) {
	if _, err := p.stop(); err != nil {
		return account{}, err
	}
	unread, err := p.end()
	p.chaos.mu.Lock()
	defer p.chaos.mu.Unlock()
	a := &p.chaos.account
	a.Unread = len(unread)
	for at, arrived := range p.marked {
		switch {
		case p.handledBefore(at, arrived):
		case p.handledEarlier(at, arrived):
			a.Stale = append(a.Stale, at)
		default:
			a.Early = append(a.Early, at)
		}
	}
	return *a, err
}

func (p *gatewayProcess) handledBefore(at place, t time.Time) bool {
	done, ok := p.handled[at]
	return ok && !done.After(t)
}

// handledEarlier reports whether a message of an earlier database with the same id had been handled.
func (p *gatewayProcess) handledEarlier(at place, t time.Time) bool {
	for at.Database--; at.Database >= 0; at.Database-- {
		if p.handledBefore(at, t) {
			return true
		}
	}
	return false
}

// end counts the messages of the database, closes it and returns the task ids of the unread messages.
func (p *gatewayProcess) end() (unread []string, err error) {
	defer p.database.Close()
	p.database.Heal()
	c, err := client.New("auditor", p.database.Options()...)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	for _, inbox := range p.names {
		rows, err := c.Fetch(context.Background(), client.FetchOptions{ToNode: inbox, UnreadOnly: true, Limit: 1000})
		if err != nil {
			return nil, err
		}
		for _, m := range rows {
			unread = append(unread, taskID(m))
		}
	}
	p.chaos.account.Stored += int(p.database.Store(nodeName(0), nodeName(0), "fyi", "the next")) - 1 // ids have no gaps
	return unread, nil
}
