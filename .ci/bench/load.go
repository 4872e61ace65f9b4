package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
)

const connections = 16

// serveUpstream starts a server that answers chat completions with 2 kB.
func serveUpstream() *httptest.Server {
	body := `{"id":"chatcmpl-1","object":"chat.completion","model":"gpt-5.4","choices":[{"index":0,"message":{"role":"assistant","content":"` +
		strings.Repeat("word ", 360) + `"},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":20,"total_tokens":30}}`
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, body)
	}))
}

// load makes count calls with several connections.
func load(url string, count int) error {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: connections}}
	var left atomic.Int64
	left.Store(int64(count))
	var all sync.WaitGroup
	errs := make([]error, connections)
	for i := range connections {
		all.Go(func() {
			for left.Add(-1) >= 0 && errs[i] == nil {
				errs[i] = call(client, url)
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

func call(client *http.Client, url string) error {
	const request = `{"model":"gpt-5.4","messages":[{"role":"user","content":"Is the nightly build green?"}]}`
	resp, err := client.Post(url+"/chat/completions", "application/json", strings.NewReader(request))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if _, err = io.Copy(io.Discard, resp.Body); err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("status %d", resp.StatusCode)
	}
	return err
}
