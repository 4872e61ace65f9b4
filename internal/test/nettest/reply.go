package nettest

import (
	"encoding/json"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Reply is a complete response.
type Reply struct {
	Status int
	Header http.Header
	Body   string
}

// Get sends a request.
func Get(client *http.Client, req *http.Request) (Reply, error) {
	resp, err := client.Do(req) //nolint:gosec // a fake on this machine
	if err != nil {
		return Reply{}, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return Reply{Status: resp.StatusCode, Header: resp.Header, Body: string(text)}, err
}

// Object returns the body as an object with exact numbers.
func (r Reply) Object(t *testing.T) map[string]any {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(r.Body))
	dec.UseNumber()
	var object map[string]any
	require.NoError(t, dec.Decode(&object), r.Body)
	return object
}

// Rows returns the objects in a list in the body.
func (r Reply) Rows(t *testing.T, name string) []map[string]any {
	t.Helper()
	list, ok := r.Object(t)[name].([]any)
	require.True(t, ok, r.Body)
	rows := make([]map[string]any, len(list))
	for i, row := range list {
		rows[i] = row.(map[string]any)
	}
	return rows
}

// Column returns one field from each row.
func Column(rows []map[string]any, name string) []any {
	values := make([]any, len(rows))
	for i, row := range rows {
		values[i] = row[name]
	}
	return values
}

// Goroutines returns the number of goroutines whose stack contains function.
func Goroutines(function string) int {
	stacks := make([]byte, 4<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	n := 0
	for stack := range strings.SplitSeq(string(stacks), "\n\n") {
		if strings.Contains(stack, function) {
			n++
		}
	}
	return n
}
