package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// browser is headless Chromium, and one page in it. Commands and events go through a
// pipe, as --remote-debugging-pipe has it: JSON that ends with NUL. No port is open, and
// no other program is needed.
type browser struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	session string
	last    int
	// events are those since they were last taken.
	events []message
}

// message is a command, its answer or an event.
type message struct {
	ID        int             `json:"id,omitempty"`
	SessionID string          `json:"sessionId,omitempty"`
	Method    string          `json:"method,omitempty"`
	Params    json.RawMessage `json:"params,omitempty"`
	Result    json.RawMessage `json:"result,omitempty"`
	Error     *struct {
		Message string `json:"message"`
	} `json:"error,omitempty"`
}

// start starts Chromium with a profile in a directory.
func start(ctx context.Context, program, folder string) (*browser, error) {
	commands, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, answers, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	//nolint:gosec // the caller names the browser
	cmd := exec.CommandContext(ctx, program, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--host-resolver-rules=MAP * ~NOTFOUND", "--user-data-dir="+folder, "--remote-debugging-pipe", "about:blank")
	cmd.ExtraFiles = []*os.File{commands, answers} // descriptors 3 and 4
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	_, _ = commands.Close(), answers.Close()
	b := &browser{cmd: cmd, in: in, out: bufio.NewReader(out)}
	return b, b.open()
}

// open opens a page, and requests its events.
func (b *browser) open() error {
	var target struct{ TargetID string }
	if err := b.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target); err != nil {
		return err
	}
	var session struct{ SessionID string }
	if err := b.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &session); err != nil {
		return err
	}
	b.session = session.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log", "Network", "Accessibility"} {
		if err := b.call(domain+".enable", nil, nil); err != nil {
			return err
		}
	}
	return nil
}

func (b *browser) close() {
	b.session = ""
	_ = b.call("Browser.close", nil, nil)
	_ = b.in.Close()
	_ = b.cmd.Wait()
}

// call sends a command and reads its answer.
func (b *browser) call(method string, params map[string]any, result any) error {
	b.last++
	text, err := json.Marshal(map[string]any{"id": b.last, "sessionId": b.session, "method": method, "params": params})
	if b.session == "" {
		text, err = json.Marshal(map[string]any{"id": b.last, "method": method, "params": params})
	}
	if err != nil {
		return err
	}
	if _, err := b.in.Write(append(text, 0)); err != nil {
		return err
	}
	for {
		m, err := b.read()
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", method, err)
		case m.ID != b.last:
			b.events = append(b.events, m)
		case m.Error != nil:
			return errors.New(method + ": " + m.Error.Message)
		case result == nil:
			return nil
		default:
			return json.Unmarshal(m.Result, result)
		}
	}
}

func (b *browser) read() (m message, err error) {
	text, err := b.out.ReadBytes(0)
	if err != nil {
		return m, err
	}
	return m, json.Unmarshal(text[:len(text)-1], &m)
}

// load opens a file and waits until it is loaded. It returns the page's output and
// requests.
func (b *browser) load(file string) (problems []string, err error) {
	b.events = nil
	if err := b.call("Page.navigate", map[string]any{"url": "file://" + file}, nil); err != nil {
		return nil, err
	}
	for i := 0; ; i++ {
		for ; i < len(b.events); i++ {
			if b.events[i].Method == "Page.loadEventFired" {
				// What the page prints because of its policy arrives before the answer to a later
				// command.
				err := b.call("Runtime.evaluate", map[string]any{"expression": "new Promise(requestAnimationFrame)", "awaitPromise": true}, nil)
				return b.printed(file), err
			}
		}
		m, err := b.read()
		if err != nil {
			return nil, err
		}
		b.events = append(b.events, m)
		i--
	}
}

// printed returns console messages, and requests except for the page itself.
func (b *browser) printed(file string) (problems []string) {
	for _, e := range b.events {
		var params struct {
			Request struct{ URL string }
		}
		switch e.Method {
		case "Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown":
			problems = append(problems, "the console has "+string(e.Params))
		case "Network.requestWillBeSent":
			if err := json.Unmarshal(e.Params, &params); err == nil && params.Request.URL != "file://"+file && params.Request.URL != "data:," {
				problems = append(problems, "the page requests "+params.Request.URL)
			}
		}
	}
	return problems
}
