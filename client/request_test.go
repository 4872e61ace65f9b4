package client_test

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
	"github.com/mesh-gateway/mesh-go/internal/test/contract"
	"github.com/mesh-gateway/mesh-go/internal/test/nettest"
)

// After a 101 the body is the connection itself, which has no end.
func TestSwitchingProtocolsIsAnError(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := servingInMemory(t, verbatim(t, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"), client.WithTimeout(time.Minute))
		for operation, call := range operations {
			assert.Equal(t, 101, gatewayError(t, call(t.Context(), c)).StatusCode, operation)
		}
	})
}

// net/http accepts any three digits as a status, including 000.
func TestResponseWithStatus000IsAnError(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := servingInMemory(t, verbatim(t, "HTTP/1.1 000 \r\nContent-Length: 0\r\n\r\n"))
		for operation, call := range operations {
			failed := gatewayError(t, call(t.Context(), c))
			assert.Zero(t, failed.StatusCode, operation)
			assert.ErrorContains(t, failed, "the response has no status", operation)
		}
	})
}

// verbatim answers with text and keeps the connection open until the test ends.
func verbatim(t *testing.T, text string) http.HandlerFunc {
	t.Helper()
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		t.Cleanup(func() { _ = conn.Close() })
		_, _ = conn.Write([]byte(text))
	}
}

func TestBodyOfAFailureThatStallsIsShown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := servingInMemory(t, func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(400)
			_, _ = w.Write([]byte("the reason"))
			_ = http.NewResponseController(w).Flush()
			stall(r)
		}, client.WithTimeout(time.Minute))
		err := c.MarkRead(t.Context(), 7)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorContains(t, err, "status 400: the reason: no complete response within 1m0s")
	})
}

func TestTimeoutOfAnHTTPClientIsNotReportedAsOurs(t *testing.T) {
	t.Parallel()
	c := serving(t, func(_ http.ResponseWriter, r *http.Request) { stall(r) },
		client.WithHTTPClient(&http.Client{Timeout: 20 * time.Millisecond}))
	_, err := c.ListPeers(t.Context())
	require.ErrorIs(t, err, context.DeadlineExceeded)
	assert.NotContains(t, err.Error(), "within 10s")
}

func TestRedirectIsExplainedByItsHost(t *testing.T) {
	t.Parallel()
	for location, want := range map[string]string{
		"https://login.example/?key=hunter2": "redirects are not followed; this one leads to the host login.example",
		"http://[bad?key=hunter2":            "status 302",
	} {
		c := serving(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Location"] = []string{location}
			w.WriteHeader(http.StatusFound)
		})
		_, err := c.ListPeers(t.Context())
		require.ErrorContains(t, err, want)
		assert.NotContains(t, shown(err), "hunter2")
	}
}

func Test404OfAFixedPathHintsAtTheBasePath(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for operation, call := range operations {
			err := call(t.Context(), answering(t, 404, "text/html", "not here"))
			require.ErrorContains(t, err, "not here", operation)
			require.ErrorContains(t, err, "check the base path", operation)
			require.ErrorIs(t, err, client.ErrNoSuchPath, operation)
		}
		err := answering(t, 404, "application/json", messageNotFound).MarkRead(t.Context(), 1)
		assert.NotErrorIs(t, err, client.ErrNoSuchPath, "the message is unknown")
	})
}

func TestRedirectsAreErrorsAndNeverFollowed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, status := range []int{301, 302, 303, 307, 308} {
			c := servingInMemory(t, func(w http.ResponseWriter, r *http.Request) {
				assert.NotEqual(t, "elsewhere.test", r.Host, "the redirect was followed")
				http.Redirect(w, r, "http://elsewhere.test"+r.URL.Path, status)
			})
			for operation, call := range operations {
				assert.Equal(t, status, gatewayError(t, call(t.Context(), c)).StatusCode, operation)
			}
		}
	})
}

func TestOnlyErrorsOfTheInboxAdviseALowerLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := answering(t, 200, "application/json", long(" ", 2000), client.WithMaxResponseBytes(1000))
		for operation, call := range operations {
			err := call(t.Context(), c)
			if !errors.Is(err, client.ErrTooLarge) {
				continue // MarkRead ignores the body, and Send reads more of the registry
			}
			inbox := slices.Contains([]string{"Fetch", "Watch", "Sent", "Pending"}, operation)
			assert.Equal(t, inbox, strings.Contains(err.Error(), "lower Limit"), "%s: %v", operation, err)
			assert.ErrorContains(t, err, "raise WithMaxResponseBytes", operation)
		}
	})
}

func TestResponsesAreLimited(t *testing.T) {
	t.Parallel()
	body := `[{"name":"node-b"}]`
	for name, row := range map[string]struct {
		limit int64
		fails bool
	}{
		"exactly the limit": {int64(len(body)), false},
		"one byte over":     {int64(len(body)) - 1, true},
	} {
		for _, declared := range []bool{true, false} {
			t.Run(name+", length declared "+strconv.FormatBool(declared), func(t *testing.T) {
				t.Parallel()
				c := serving(t, func(w http.ResponseWriter, _ *http.Request) {
					if declared {
						w.Header().Set("Content-Length", strconv.Itoa(len(body)))
					}
					_, _ = w.Write([]byte(body[:5]))
					w.(http.Flusher).Flush()
					_, _ = w.Write([]byte(body[5:]))
				}, client.WithMaxResponseBytes(row.limit))
				peers, err := c.ListPeers(t.Context())
				if !row.fails {
					require.NoError(t, err)
					assert.Len(t, peers, 1)
					return
				}
				assert.Equal(t, 200, gatewayError(t, err).StatusCode)
				assert.Nil(t, peers)
				require.ErrorContains(t, err, "larger than allowed")
			})
		}
	}
}

func TestTimeoutAndContextAreVisible(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		stalled := func(_ http.ResponseWriter, r *http.Request) { stall(r) }
		slow := servingInMemory(t, stalled, client.WithTimeout(20*time.Millisecond))
		patient := servingInMemory(t, stalled)
		for operation, call := range operations {
			err := call(t.Context(), slow)
			require.ErrorIs(t, err, context.DeadlineExceeded, operation)
			require.ErrorContains(t, err, "no complete response within 20ms", operation)
			assert.Zero(t, gatewayError(t, err).StatusCode)

			if operation == "Watch" {
				continue // it ends when its context does
			}
			hurried, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
			err = call(hurried, patient)
			cancel()
			require.ErrorIs(t, err, context.DeadlineExceeded, operation)
			require.NotContains(t, err.Error(), "no complete response within", "%s: that was the caller's own deadline", operation)

			cancelled, cancel := context.WithCancel(t.Context())
			cancel()
			err = call(cancelled, patient)
			require.ErrorIs(t, err, context.Canceled, operation)
			gatewayError(t, err)
		}
	})
}

func TestTimeoutCoversTheBody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := servingInMemory(t, func(w http.ResponseWriter, r *http.Request) {
			_, _ = w.Write([]byte(`[`))
			_ = http.NewResponseController(w).Flush()
			stall(r)
		}, client.WithTimeout(time.Minute))
		begin := time.Now()
		_, err := c.ListPeers(t.Context())
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, 200, gatewayError(t, err).StatusCode)
		assert.Equal(t, time.Minute, time.Since(begin))
	})
}

func TestRefusedConnectionIsAGatewayError(t *testing.T) {
	t.Parallel()
	address := nettest.ClosedAddress(t)
	synctest.Test(t, func(t *testing.T) { // the kernel refuses at once
		c := newClient(t, "node-a", client.WithGatewayURL("http://"+address))
		for operation, call := range operations {
			failed := gatewayError(t, call(t.Context(), c))
			assert.Zero(t, failed.StatusCode, operation)
			require.ErrorContains(t, failed, "connection refused", operation)
		}
	})
}

func TestContextThatEndsInAnErrorBodyIsVisible(t *testing.T) {
	t.Parallel()
	for operation, call := range operations {
		if waits(operation) {
			continue
		}
		ctx, cancel := context.WithCancel(t.Context())
		c := serving(t, func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(500)
			_, _ = w.Write([]byte("half a"))
			_ = http.NewResponseController(w).Flush()
			stall(r)
		}, client.WithHTTPClient(&http.Client{Transport: roundTrip(func(req *http.Request) (*http.Response, error) {
			resp, err := http.DefaultTransport.RoundTrip(req)
			cancel() // once the status is here
			return resp, err
		})}))
		err := call(ctx, c)
		require.ErrorIs(t, err, context.Canceled, operation)
		if operation != "Send" && operation != "Reply" { // whose registry request is not its own
			assert.Equal(t, 500, gatewayError(t, err).StatusCode, "and the status is not lost")
		}
	}
}

// net/http returns the cause of a context instead of its error.
func TestContextWithACauseIsVisible(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		boom := errors.New("boom")
		for operation, call := range operations {
			if operation == "Watch" {
				continue
			}
			ctx, cancel := context.WithCancelCause(t.Context())
			c := servingInMemory(t, func(_ http.ResponseWriter, r *http.Request) { cancel(boom); stall(r) })
			require.ErrorIs(t, call(ctx, c), context.Canceled, operation)
		}
	})
}

// stall waits until the client has gone. The server only notices that when the request
// has been read.
func stall(r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	<-r.Context().Done()
}

func TestTransportWithoutAResponseIsAnError(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newClient(t, "node-a", client.WithGatewayURL("http://h"), client.WithHTTPClient(&http.Client{
			Transport: roundTrip(func(*http.Request) (*http.Response, error) { return nil, nil }), //nolint:nilnil // that is the point
		}))
		for _, call := range operations {
			gatewayError(t, call(t.Context(), c))
		}
	})
}

// The methods' documentation is the only list of requests.
func TestEveryOperationIsInTheDocumentationOfAMethod(t *testing.T) {
	t.Parallel()
	request, parameter := regexp.MustCompile(`\(([A-Z]+ /[^)]*)\)`), regexp.MustCompile(`\{[^}]*\}`)
	named := make(map[string]bool)
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, name := range files {
		file, err := parser.ParseFile(gotoken.NewFileSet(), name, nil, parser.ParseComments)
		require.NoError(t, err)
		for _, decl := range file.Decls {
			if method, ok := decl.(*ast.FuncDecl); ok && method.Recv != nil && method.Name.IsExported() {
				for _, found := range request.FindAllStringSubmatch(method.Doc.Text(), -1) {
					named[parameter.ReplaceAllString(found[1], "{}")] = true
				}
			}
		}
	}
	checker, err := contract.New("gateway")
	require.NoError(t, err)
	for path, item := range checker.Document().Paths.Map() {
		for method, op := range item.Operations() {
			want := method + " " + parameter.ReplaceAllString(path, "{}")
			assert.True(t, named[want], "%s: the comment of a method of MeshClient has to contain (%s)", op.OperationID, want)
		}
	}
}

// No request has an unnecessary header. TestRequestsAndResponsesConformToTheDocument
// checks paths and parameters.
func TestHeadersOfEveryOperation(t *testing.T) {
	t.Parallel()
	g := gateway(t, gatewaytest.WithThreads(threadID))
	g.Store("node-b", "node-a", "fyi", "for Watch")
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, g, "node-a", client.WithHTTPClient(&http.Client{Transport: piped(t, g)}))
		for _, call := range operations {
			require.NoError(t, ignoringStatus(call(t.Context(), c)))
		}
	})
	for _, r := range g.Requests() {
		headers := []string{"User-Agent", "Accept-Encoding"}
		if r.Method == http.MethodPost {
			headers = append(headers, "Content-Length")
		}
		if r.Body != "" {
			headers = append(headers, "Content-Type")
		}
		for name := range r.Header {
			assert.Contains(t, headers, name, r.Operation)
		}
	}
}
