package meter

import (
	"bytes"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/mesh-gateway/mesh-go/discovery/internal/endpoints"
	"github.com/mesh-gateway/mesh-go/discovery/internal/modelid"
	"github.com/mesh-gateway/mesh-go/discovery/internal/response"
	"github.com/mesh-gateway/mesh-go/discovery/internal/skim"
	"github.com/mesh-gateway/mesh-go/discovery/internal/usage"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// requestRoot selects the parts to keep from a request.
var requestRoot = &response.Node{Members: map[string]*response.Node{"model": {Field: response.Model}}}

// requestBody finds the model while the base transport reads the body, possibly on
// another goroutine. It also notes whether the body was read.
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

// Model returns the model if it was sent already.
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

// wrap resets the state: a retried request sends the same content in another body.
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

// watch returns a request whose body is read through b. If there is no body, that's req
// itself.
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

// multipartForm finds the model while a form, such as a transcription, is sent. It
// holds only one line.
type multipartForm struct {
	boundary string
	line     []byte
	header   bool // in the header of a part
	isModel  bool // the part is the model
	model    string
}

// newMultipartForm returns nil for other content types.
func newMultipartForm(contentType string) *multipartForm {
	if !strings.HasPrefix(contentType, "multipart/form-data") {
		return nil
	}
	_, params, _ := mime.ParseMediaType(contentType)
	return &multipartForm{boundary: "--" + params["boundary"]}
}

// Write takes the form piece by piece.
func (f *multipartForm) Write(p []byte) {
	const longest = 1 << 10 // a longer line doesn't matter
	for len(p) > 0 && f.model == "" {
		line, rest, ended := bytes.Cut(p, []byte("\n"))
		f.line = append(f.line, line[:min(len(line), longest-len(f.line))]...)
		if p = rest; ended {
			f.take(bytes.TrimSuffix(f.line, []byte("\r")))
			f.line = f.line[:0]
		}
	}
}

func (f *multipartForm) take(line []byte) {
	switch {
	case string(line) == f.boundary:
		f.header, f.isModel = true, false
	case f.header && len(line) == 0:
		f.header = false
	case f.header:
		name, value, _ := strings.Cut(string(line), ":")
		_, params, _ := mime.ParseMediaType(value)
		f.isModel = f.isModel || strings.EqualFold(name, "Content-Disposition") && params["name"] == "model"
	case f.isModel:
		f.model, f.isModel = string(line), false
	}
}

// Endpoint is a host whose calls a Meter counts; see [WithEndpoint].
type Endpoint struct {
	// Host is a host such as "llm-proxy.internal", which matches all ports, or has a port,
	// such as "127.0.0.1:8080". If it's "", Region applies to the Platform's official
	// hosts.
	Host string
	// API selects the body format: one of the five providers, "converse" or "invoke"
	// (Bedrock), "cohere" or "ollama". Many hosts copy a provider's API. [models.OpenAI]
	// also recognizes the other APIs by their paths, since many hosts have several. With a
	// Platform, API may be "": the paths show the format.
	API models.Provider
	// Provider names the prices and the records: one of the five, or a name with rows in
	// [prices.List.With], at most 64 lower-case letters, digits, dots and hyphens. "" is
	// API or, with a Platform, the model's developer.
	Provider models.Provider
	// Platform is set for a proxy or private endpoint to that platform. "" is no platform.
	Platform prices.Platform
	// Region prices calls if the path has no location. For Azure it's the deployment kind:
	// "global", "data-zone" or "regional".
	Region string
}

// WithEndpoint makes the Meter count calls to a host, at a provider's prices. The API
// is recognized by the end of each request's path, so a proxy must keep it.
//
// The five providers' official hosts are known, as are OpenRouter, Bedrock, Vertex and
// Azure. Azure responses don't show the deployment kind. Unless you set it, such calls
// have no known cost:
//
//	meter.WithEndpoint(meter.Endpoint{Platform: prices.PlatformAzure, Region: "global"})
//	meter.WithEndpoint(meter.Endpoint{Host: "api.groq.com", API: models.OpenAI, Provider: "groq"})
func WithEndpoint(e Endpoint) Option {
	return func(m *config) error {
		host, err := e.check()
		if err != nil {
			return err
		}
		if e.Host == "" {
			m.regions[host.Platform] = host.Region
		} else {
			m.hosts[strings.ToLower(e.Host)] = host
		}
		return nil
	}
}

// omit the value: a URL may have a password
var errHost = invalid("Host", "", "must be a host or host:port")

// check validates e and converts it.
func (e *Endpoint) check() (host endpoints.Endpoint, err error) {
	host = endpoints.Endpoint{Platform: string(e.Platform), Region: strings.ToLower(e.Region)}
	switch e.Platform {
	case "", prices.PlatformOpenRouter, prices.PlatformBedrock, prices.PlatformVertex, prices.PlatformAzure:
	default:
		return host, invalid("Platform", string(e.Platform), "must be a Platform")
	}
	if strings.ContainsAny(e.Host, "/@? ") || (e.Host == "" && (e.Platform == "" || e.Region == "")) {
		return host, errHost
	}
	if e.API != "" || e.Platform == "" {
		if host.Form, err = form(e.API); err != nil {
			return host, err
		}
	}
	kinds := []string{"", "global", "data-zone", "regional"}
	if e.Platform == prices.PlatformAzure && !slices.Contains(kinds, host.Region) {
		return host, invalid("Region", e.Region, "must be global, data-zone or regional")
	}
	host.Provider, err = e.provider(host.Form)
	return host, err
}

func form(api models.Provider) (string, error) {
	if slices.Contains(usage.Forms, string(api)) {
		return string(api), nil
	}
	known, err := models.ParseProvider(string(api))
	return string(known), err
}

// provider returns the canonical spelling.
func (e *Endpoint) provider(form string) (string, error) {
	switch {
	case e.Provider == "" && e.Platform != "":
		return "", nil
	case e.Provider == "":
		return form, nil
	}
	name := modelid.Canonical(string(e.Provider))
	if !modelid.IsName(name) {
		return "", invalid("Provider", name, modelid.UnknownName())
	}
	return name, nil
}
