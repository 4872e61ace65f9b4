// Package contract checks real exchanges against the OpenAPI documents in specs/. Only
// tests import it, so that users of the SDK need not build kin-openapi.
//
//	checker, err := contract.New("gateway")
//	client := &http.Client{Transport: checker.Transport(http.DefaultTransport, "/base", func(err error) { t.Error(err) })}
//	// ... use the client ...
//	checker.Unexercised() // operations and query parameters that no request has used
//
// A request fails if its path, query parameters or body aren't in the document, or if it
// lacks the required bearer token or key. A response fails if its status, content type or
// body isn't. A Checker may be used concurrently.
package contract

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"

	"github.com/mesh-gateway/mesh-go/specs"
)

// Checker checks exchanges against one document.
type Checker struct {
	doc    *openapi3.T
	router routers.Router
	used   coverage
}

// New loads one of [specs.Names] and validates it, including its examples.
func New(name string) (*Checker, error) {
	text, err := specs.Document(name)
	if err != nil {
		return nil, err
	}
	return Load(text)
}

// Load is [New] for a document's text.
func Load(text []byte) (*Checker, error) {
	doc, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		return nil, err
	}
	// with servers set, the router would match only their URLs
	doc.Servers = nil
	router, err := legacy.NewRouter(doc, openapi3.EnableExamplesValidation())
	if err != nil {
		return nil, err
	}
	return &Checker{doc: doc, router: router}, nil
}

// Document returns the loaded document, which must not be changed.
func (c *Checker) Document() *openapi3.T { return c.doc }

// Exchange is a request with its response. Bodies are separate fields, because the
// originals may have been read.
type Exchange struct {
	Request      *http.Request // its path has no base path
	RequestBody  []byte
	Status       int
	Header       http.Header
	ResponseBody []byte
}

// Request returns all violations in e's request, or nil.
func (c *Checker) Request(e Exchange) error {
	input, err := c.input(e)
	if err != nil {
		return err
	}
	c.used.add(input.Route.Operation.OperationID, e.Request.URL.Query(), e.Request.Header)
	err = errors.Join(unknownQuery(input), openapi3filter.ValidateRequest(e.Request.Context(), input))
	if err != nil {
		return fmt.Errorf("request %s %s: %w", e.Request.Method, e.Request.URL.Path, err)
	}
	return nil
}

// Response returns all violations in e's response, or nil.
func (c *Checker) Response(e Exchange) error {
	input, err := c.input(e)
	if err != nil {
		return err
	}
	// An operation's default response is for errors, so a status below 400 must be
	// listed. kin-openapi would accept it as a default response, and would accept any
	// redirect.
	if e.Status < http.StatusBadRequest && input.Route.Operation.Responses.Status(e.Status) == nil {
		return fmt.Errorf("response %d to %s %s: status is not documented", e.Status, e.Request.Method, e.Request.URL.Path)
	}
	response := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: input,
		Status:                 e.Status,
		Header:                 e.Header,
		Options:                input.Options,
	}
	response.SetBodyBytes(e.ResponseBody)
	if err := openapi3filter.ValidateResponse(e.Request.Context(), response); err != nil {
		return fmt.Errorf("response %d to %s %s: %w", e.Status, e.Request.Method, e.Request.URL.Path, err)
	}
	return nil
}

// Operation returns the operation of a request, or nil if the document lacks it.
func (c *Checker) Operation(r *http.Request) *openapi3.Operation {
	route, _, err := c.router.FindRoute(r)
	if err != nil {
		return nil
	}
	return route.Operation
}

func (c *Checker) input(e Exchange) (*openapi3filter.RequestValidationInput, error) {
	route, params, err := c.router.FindRoute(e.Request)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", e.Request.Method, e.Request.URL.Path, err)
	}
	req := e.Request.Clone(e.Request.Context())
	req.Body = io.NopCloser(strings.NewReader(string(e.RequestBody)))
	req.ContentLength = int64(len(e.RequestBody))
	if len(e.RequestBody) == 0 {
		req.Body = http.NoBody
	}
	return &openapi3filter.RequestValidationInput{
		Request:    req,
		PathParams: params,
		Route:      route,
		Options: &openapi3filter.Options{
			AuthenticationFunc:                authenticate,
			MultiError:                        true,
			IncludeResponseStatus:             true,
			RejectWhenRequestBodyNotSpecified: true,
			SkipSettingDefaults:               true, // otherwise defaults are written into the request
			// otherwise each error contains the whole schema and value
			SchemaValidationOptions: []openapi3.SchemaValidationOption{openapi3.DisableSchemaErrorDetails()},
		},
	}, nil
}

// authenticate requires the scheme's credential: a bearer token, or a key in its header.
func authenticate(_ context.Context, input *openapi3filter.AuthenticationInput) error {
	header, scheme := input.RequestValidationInput.Request.Header, input.SecurityScheme
	switch {
	case scheme.Type == "http" && scheme.Scheme == "bearer":
		if token, ok := strings.CutPrefix(header.Get("Authorization"), "Bearer "); !ok || token == "" {
			return errors.New("no bearer token")
		}
	case scheme.Type == "apiKey" && scheme.In == openapi3.ParameterInHeader:
		if header.Get(scheme.Name) == "" {
			return fmt.Errorf("no key in the header %s", scheme.Name)
		}
	default:
		return fmt.Errorf("security scheme %q is of an unsupported kind", input.SecuritySchemeName)
	}
	return nil
}

// unknownQuery reports undocumented query parameters, which kin-openapi accepts.
func unknownQuery(input *openapi3filter.RequestValidationInput) error {
	var wrong []error
	for name := range input.Request.URL.Query() {
		if input.Route.Operation.Parameters.GetByInAndName(openapi3.ParameterInQuery, name) == nil {
			wrong = append(wrong, fmt.Errorf("unknown query parameter %q", name))
		}
	}
	return errors.Join(wrong...)
}
