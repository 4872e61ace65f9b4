package agent_test

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent"
	"github.com/mesh-gateway/mesh-go/internal/test/nettest"
)

// bulky answers a poll with the newest of n unread messages, a thousand characters each.
func bulky(n *int, limits *[]int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		limit, _ := strconv.Atoi(r.URL.Query().Get("limit"))
		*limits = append(*limits, limit)
		var list []string
		for id := *n; id > 0 && len(list) < limit; id-- {
			list = append(list, strings.Replace(row(id, "node-b"), `"x"`, `"`+long("x", 1000)+`"`, 1))
		}
		_, _ = w.Write([]byte("[" + strings.Join(list, ",") + "]"))
	}
}

func TestWatchFetchesFewerMessagesWhenAResponseIsTooLarge(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		unread, limits := 100, []int{}
		c := inProcess(t, bulky(&unread, &limits), client.WithMaxResponseBytes(20_000))
		seen := 0
		for m, err := range agent.Watch(t.Context(), c, agent.WatchOptions{}) {
			require.NoError(t, err)
			assert.Equal(t, int64(unread-14+seen), m.ID, "the newest 15, the oldest of them first")
			if seen++; seen == 15 {
				break
			}
		}
		assert.Equal(t, []int{1000, 250, 62, 15}, limits)
	})
}

func TestWatchFetchesMoreMessagesAgainLater(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		unread, limits := 100, []int{}
		c := inProcess(t, bulky(&unread, &limits), client.WithMaxResponseBytes(20_000))
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		for _, err := range agent.Watch(ctx, c, agent.WatchOptions{}) {
			require.NoError(t, err)
			unread = 0 // everything has been marked read
		}
		assert.Equal(t, []int{1000, 250, 62, 15, 15, 30, 60, 120, 240, 480, 960, 1000}, limits[:12])
	})
}

func TestWatchYieldsAResponseThatIsTooLargeWithOneMessage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		unread, limits := 9, []int{}
		c := inProcess(t, bulky(&unread, &limits), client.WithMaxResponseBytes(500))
		for _, err := range agent.Watch(t.Context(), c, agent.WatchOptions{Limit: 7}) {
			require.ErrorIs(t, err, client.ErrTooLarge)
			require.ErrorContains(t, err, "raise WithMaxResponseBytes or lower Limit")
			break
		}
		assert.Equal(t, []int{7, 1}, limits)
	})
}

func TestWatchFetchesOneMessageIfTwoAreTooLarge(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		unread, limits := 2, []int{}
		c := inProcess(t, bulky(&unread, &limits), client.WithMaxResponseBytes(1500))
		assert.Equal(t, []string{"2"}, watch(t.Context(), c, agent.WatchOptions{Limit: 2}, 1))
		assert.Equal(t, []int{2, 1}, limits)
	})
}

// A gateway that makes mistakes may leave a message out of a window.
func TestWatchForgetsAMessageAfterThreeWindowsWithoutIt(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answers []http.HandlerFunc
		want    []string
	}{
		"two":   {[]http.HandlerFunc{rows(2, 1), rows(2), rows(2), rows(2, 1), rows(3, 2, 1)}, []string{"1", "2", "3"}},
		"three": {[]http.HandlerFunc{rows(2, 1), rows(2), rows(2), rows(2), rows(2, 1)}, []string{"1", "2", "1"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			box := &inbox{answers: c.answers}
			assert.Equal(t, c.want, watch(t.Context(), inProcess(t, box.handle), agent.WatchOptions{}, 3), name)
		})
	}
}

func TestWatchRemembersAMessageThatEveryPollReturns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		last := 1
		c := inProcess(t, func(w http.ResponseWriter, _ *http.Request) {
			list := []string{row(1, "node-b")}
			for range 999 {
				last++
				list = append(list, row(last, "node-b"))
			}
			_, _ = fmt.Fprint(w, "[", strings.Join(list, ","), "]")
		})
		yielded, n := 0, 0
		for m, err := range agent.Watch(t.Context(), c, agent.WatchOptions{}) {
			require.NoError(t, err)
			if m.ID == 1 {
				yielded++
			}
			if n++; n == 25_000 {
				break
			}
		}
		assert.Equal(t, 1, yielded)
	})
}

// A gateway with a new database counts from 1 again.
func TestWatchIdentifiesAMessageByIDAndTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		again := func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte("[" + strings.Replace(row(1, "node-b"), "now", "later", 1) + "]"))
		}
		c := inProcess(t, (&inbox{answers: []http.HandlerFunc{rows(2, 1), again}}).handle)
		assert.Equal(t, []string{"1", "2", "1"}, watch(t.Context(), c, agent.WatchOptions{}, 3))
	})
}

func TestWatchReportsAWindowFullOfOwnMessagesOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		own := func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte("[" + row(2, "node-a") + "," + row(1, "node-a") + "]"))
		}
		box := &inbox{answers: []http.HandlerFunc{own, own, own, own, own, rows(3)}}
		c := inProcess(t, box.handle)
		assert.Equal(t, []string{"error", "3"}, watch(t.Context(), c, agent.WatchOptions{Limit: 2}, 2))
		begin := time.Now()
		for _, err := range agent.Watch(t.Context(), inProcess(t, own), agent.WatchOptions{Limit: 2}) {
			require.ErrorContains(t, err, "2 were sent by this node")
			break
		}
		assert.Zero(t, time.Since(begin), "the first poll shows it")
	})
}

func TestWatchRemembersABoundedNumberOfMessages(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		first := 0
		c := inProcess(t, func(w http.ResponseWriter, _ *http.Request) {
			var list []string
			for id := first + 1000; id > first; id-- {
				list = append(list, row(id, "node-b"))
			}
			first = (first + 1000) % 40_000
			_, _ = fmt.Fprint(w, "[", strings.Join(list, ","), "]")
		})
		n := 0
		for _, err := range agent.Watch(t.Context(), c, agent.WatchOptions{}) {
			require.NoError(t, err)
			if n++; n == 41_000 { // the first thousand were forgotten and came back
				break
			}
		}
	})
}

func TestCloseEndsAPauseAndAPollOfWatch(t *testing.T) {
	t.Parallel()
	for name, handler := range map[string]http.HandlerFunc{"pause": rows(), "poll": nil} {
		synctest.Test(t, func(t *testing.T) {
			hang := roundTrip(func(req *http.Request) (*http.Response, error) {
				<-req.Context().Done()
				return nil, req.Context().Err()
			})
			var transport http.RoundTripper = hang
			if handler != nil {
				transport = nettest.Call(handler)
			}
			c := newClient(t, "node-a", client.WithGatewayURL("http://gateway"), client.WithHTTPClient(&http.Client{Transport: transport}))
			ended := make(chan error, 1)
			go func() {
				for _, err := range agent.Watch(t.Context(), c, agent.WatchOptions{Interval: time.Hour}) {
					ended <- err
				}
				close(ended)
			}()
			synctest.Wait()
			begin := time.Now()
			require.NoError(t, c.Close())
			require.ErrorIs(t, <-ended, net.ErrClosed, name)
			_, more := <-ended
			assert.False(t, more)
			assert.Zero(t, time.Since(begin), name)
		})
	}
}

func TestWatchWarnsOfAShortInterval(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for interval, warnings := range map[time.Duration]int{time.Millisecond: 1, 99 * time.Millisecond: 1, 100 * time.Millisecond: 0, 0: 0} {
			var log strings.Builder
			c := inProcess(t, (&inbox{answers: []http.HandlerFunc{rows(1), rows(2)}}).handle, client.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
			watch(t.Context(), c, agent.WatchOptions{Interval: interval}, 2)
			assert.Equal(t, warnings, strings.Count(log.String(), "Watch interval"), interval)
		}
	})
}

func TestOwnNameThatCannotBeSentIsRejected(t *testing.T) {
	t.Parallel()
	for _, node := range []string{"", " ", "node\xff", "node\nb", "\x00", token, "node-" + token} {
		_, err := client.New(node, client.WithGatewayURL("http://gateway"), client.WithToken(token))
		assert.Equal(t, "node", valueError(t, err).Field, "%q", node)
	}
}

// Another system's token may be passed in the wrong place.
func TestValueThatDoesNotLookLikeANameIsNotShown(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	for _, pasted := range []string{"Zm9v_YmFyYmF6cXV4cXV1eGNvcmdl", "a:b/c", "p@ssword", url.QueryEscape("käse")} {
		c := newClient(t, pasted, client.WithGatewayURL("http://gateway"), client.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
		_, wrongTo := c.Send(t.Context(), hello(pasted))
		_, wrongKind := c.Send(t.Context(), client.SendRequest{To: "node-b", Kind: client.Kind(pasted), Content: "x"})
		for _, err := range []error{wrongTo, wrongKind} {
			assert.Empty(t, valueError(t, err).Value)
			assert.NotContains(t, shown(err), pasted)
		}
		assert.NotContains(t, log.String()+fmt.Sprintf("%v %+v %#v", c, c, c), pasted)
	}
	_, err := newClient(t, "node-a", client.WithGatewayURL("http://gateway")).Send(t.Context(), hello("Node B"))
	assert.Equal(t, "Node B", valueError(t, err).Value, "a misspelled name is shown")
}
