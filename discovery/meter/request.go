package meter

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/mesh-gateway/mesh-go/discovery/internal/response"
	"github.com/mesh-gateway/mesh-go/discovery/internal/skim"
)

// requestRoot is what is kept of a request.
var requestRoot = &response.Node{Members: map[string]*response.Node{"model": {Field: response.Model}}}

// requestBody is the body of a request. It notes whether it was read, and reads the model while the body is sent, on whatever
// goroutine the base transport reads it.
type requestBody struct {
	mu      sync.Mutex
	read    bool
	skimmer skim.Skimmer
	form    *multipartForm // instead of the skimmer, for a multipart form
	model   string
}

func newRequestBody() *requestBody {
	b := &requestBody{}
	b.skimmer = skim.NewSkimmer(requestRoot, b.document)
	return b
}

func (b *requestBody) document(d []byte) {
	var request struct {
		Model string `json:"model"`
	}
	if json.Unmarshal(d, &request) == nil {
		b.model = strings.TrimPrefix(request.Model, "models/")
	}
}

// Model returns the model as far as the body was sent.
func (b *requestBody) Model() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.model
}

func (b *requestBody) wasRead() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.read
}

// wrap returns the body with its Read watched. A request that is sent again has another body of the same content.
func (b *requestBody) wrap(body io.ReadCloser, contentType string) io.ReadCloser {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.skimmer.Reset()
	b.form = newMultipartForm(contentType)
	return &sentBody{ReadCloser: body, watch: b}
}

type sentBody struct {
	io.ReadCloser
	watch *requestBody
}

func (s *sentBody) Read(p []byte) (int, error) {
	n, err := s.ReadCloser.Read(p)
	s.watch.mu.Lock()
	defer s.watch.mu.Unlock()
	s.watch.read = s.watch.read || n > 0
	if form := s.watch.form; form != nil {
		form.Write(p[:n])
		s.watch.model = form.model
	} else {
		s.watch.skimmer.Write(p[:n])
	}
	return n, err
}

// watch returns a copy of the request whose body is watched.
func (b *requestBody) watch(req *http.Request) *http.Request {
	if req.Body == nil || req.Body == http.NoBody {
		return req
	}
	sent, contentType := *req, req.Header.Get("Content-Type")
	sent.Body = b.wrap(req.Body, contentType)
	if req.GetBody != nil {
		sent.GetBody = func() (io.ReadCloser, error) {
			again, err := req.GetBody()
			if err != nil {
				return nil, err
			}
			return b.wrap(again, contentType), nil
		}
	}
	return &sent
}
