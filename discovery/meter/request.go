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

// multipartForm finds the model in a multipart form, such as that of a transcription, while it is sent. It holds one line.
type multipartForm struct {
	boundary string
	line     []byte
	header   bool // in the header of a part
	isModel  bool // the part is the model
	model    string
}

// newMultipartForm returns the form of a content type, or nil for any other one.
func newMultipartForm(contentType string) *multipartForm {
	if !strings.HasPrefix(contentType, "multipart/form-data") {
		return nil
	}
	_, params, _ := mime.ParseMediaType(contentType)
	return &multipartForm{boundary: "--" + params["boundary"]}
}

// Write takes the next piece of the form.
func (f *multipartForm) Write(p []byte) {
	const longest = 1 << 10 // of a line that matters
	for len(p) > 0 && f.model == "" {
		line, rest, ended := bytes.Cut(p, []byte("\n"))
		f.line = append(f.line, line[:min(len(line), longest-len(f.line))]...)
		if p = rest; ended {
			f.take(bytes.TrimSuffix(f.line, []byte("\r")))
			f.line = f.line[:0]
		}
	}
}

// take takes a line.
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
	// Host is a host such as "llm-proxy.internal", which matches all ports, or a host with its port such as "127.0.0.1:8080". It may be
	// "" with a Platform: then the official hosts of the platform have the Region.
	Host string
	// API is the form of the bodies: one of the five providers, whose APIs many hosts have, "converse" or "invoke" (Bedrock), "cohere" or
	// "ollama". With [models.OpenAI], a path of one of the other APIs shows its form, since many hosts have several. API may be "" with a
	// Platform, whose paths show the form.
	API models.Provider
	// Provider is the name of the prices and of the records: one of the five, or a name of rows of [prices.List.With], at most 64
	// lower-case letters, digits, dots and hyphens. "" is API, or with a Platform the developer of the model.
	Provider models.Provider
	// Platform is the platform that the host belongs to, for proxies and private endpoints; "" is no platform.
	Platform prices.Platform
	// Region is the location that prices the calls where the path has none; for Azure the kind of the deployments: "global", "data-zone"
	// or "regional".
	Region string
}

// WithEndpoint makes the Meter count the calls to a host, at the prices of a provider. The API is recognized by the end of a request's path,
// so a proxy must keep the ends of the paths. The official hosts of the five providers, of OpenRouter, Bedrock, Vertex and Azure are
// known. No response of Azure shows the kind of the deployment, without which the call has no known cost:
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

// A URL may have a password, so the error does not show it.
var errHost = invalid("Host", "", "must be a host or host:port")

// check returns the endpoint as the paths are read.
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

// form returns the form of the bodies of an API.
func form(api models.Provider) (string, error) {
	if slices.Contains(usage.Forms, string(api)) {
		return string(api), nil
	}
	known, err := models.ParseProvider(string(api))
	return string(known), err
}

// provider returns the name of the prices in its own spelling.
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
