package gatewaytest_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/internal/test/nettest"
)

// posted sends a body to each operation that takes one, and requires the same response
// from all.
func (s *testGateway) posted(body, contentType string) nettest.Reply {
	s.t.Helper()
	var first nettest.Reply
	for i, path := range []string{"/messages", "/peers/register", "/threads"} {
		r, err := s.faulty("POST", path, body, "Content-Type", contentType)
		require.NoError(s.t, err)
		if i == 0 {
			first = r
		}
		assert.Equal(s.t, first.Status, r.Status, path)
		assert.Equal(s.t, first.Body, r.Body, path)
	}
	return first
}

func TestBodyThatIsNoObjectIsRejected(t *testing.T) {
	t.Parallel()
	s := start(t)
	const missing = `{"detail":[{"type":"missing","loc":["body"],"msg":"Field required","input":null}]}`
	for body, want := range map[string]string{
		"": missing, "null": missing, "[1.50]": "[1.50]", `"{}"`: `"{}"`, "1": "1",
	} {
		r := s.posted(body, "application/json")
		assert.Equal(t, 422, r.Status, body)
		if want != missing {
			want = `{"detail":[{"type":"model_attributes_type","loc":["body"],"input":` + want +
				`,"msg":"Input should be a valid dictionary or object to extract fields from"}]}`
		}
		assert.JSONEq(t, want, r.Body, body)
	}
}

func TestInvalidJSONIsReportedWithItsPosition(t *testing.T) {
	t.Parallel()
	s := start(t)
	for body, position := range map[string]int{
		" ": 1, "+1": 0, "[1,]": 3, `{"a":`: 5, `{"a":1,}`: 7, `{"é" 1}`: 5, `{"a":1]`: 6, `"é" x`: 4, "01": 1, message("x") + "x": len(message("x")),
	} {
		r := s.posted(body, "application/json")
		assert.Equal(t, 422, r.Status, body)
		assert.Contains(t, r.Body, `{"type":"json_invalid","loc":["body",`+strconv.Itoa(position)+`],"msg":"JSON decode error","input":{},"ctx":{"error":"`, body)
	}
}

func TestBodyOfAnotherContentTypeIsRejected(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, contentType := range []string{"text/plain", "application/x-www-form-urlencoded", "text/json", "application/jsonx", "application"} {
		r := s.posted("{} é", contentType)
		assert.Equal(t, 422, r.Status, contentType)
		assert.JSONEq(t, `{"detail":[{"type":"model_attributes_type","loc":["body"],"input":"{} é",
			"msg":"Input should be a valid dictionary or object to extract fields from"}]}`, r.Body, contentType)
	}
	for _, contentType := range []string{"application/json", "Application/JSON ; charset=utf-8", "application/vnd.mesh+json", ""} {
		r, err := s.faulty("POST", "/messages", "\ufeff"+message("hello"), "Content-Type", contentType)
		require.NoError(t, err)
		assert.Equal(t, 200, r.Status, contentType)
	}
	r := s.call("POST", "/messages/1/read", "")
	assert.Equal(t, 200, r.Status, "a request without a body needs no type")
}
