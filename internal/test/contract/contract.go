// Package contract checks real exchanges against the OpenAPI documents in specs/. Only tests import it: it brings
// kin-openapi, which no user of the SDK should have to build.
//
//	checker, err := contract.New("gateway")
//	client := &http.Client{Transport: checker.Transport(http.DefaultTransport, "/base", func(err error) { t.Error(err) })}
//	// ... use the client ...
//	checker.Unexercised() // the operations that nothing has called yet
//
// A request fails when the document does not know its path, its query parameters or its body, or when it lacks the bearer
// token or the key the document asks for; a response fails by status, content type or body. A Checker is safe for
// concurrent use.
package contract

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"

	"github.com/mesh-gateway/mesh-go/specs"
)

// Checker knows one document.
type Checker struct {
	doc    *openapi3.T
	router routers.Router

	mu        sync.Mutex
	exercised map[string]bool
}

// New loads one of [specs.Names], and checks the document itself, its examples included.
func New(name string) (*Checker, error) {
	text, err := specs.Document(name)
	if err != nil {
		return nil, err
	}
	return Load(text)
}

// Load is [New] for the text of a document.
func Load(text []byte) (*Checker, error) {
	doc, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		return nil, err
	}
	// With servers set, the router would know no URL but theirs, and a test server is elsewhere.
	doc.Servers = nil
	allowNull(doc)
	router, err := legacy.NewRouter(doc, openapi3.EnableExamplesValidation())
	if err != nil {
		return nil, err
	}
	return &Checker{doc: doc, router: router, exercised: make(map[string]bool)}, nil
}

// allowNull lets a schema that demands nothing take null as well. That is what OpenAPI 3.0.3 means by such a schema, and
// gateways do send null in fields that the document leaves open, but kin-openapi refuses null wherever nullable is unset.
// The documents cannot set it: the generator would make pointers of those fields.
func allowNull(doc *openapi3.T) {
	if doc.Components == nil {
		return
	}
	for _, schema := range doc.Components.Schemas {
		for _, property := range schema.Value.Properties {
			property.Value.Nullable = property.Value.Nullable || property.Value.IsEmpty()
		}
		if rest := schema.Value.AdditionalProperties.Schema; rest != nil {
			rest.Value.Nullable = rest.Value.Nullable || rest.Value.IsEmpty()
		}
	}
}

// Document returns the loaded document, to be read only.
func (c *Checker) Document() *openapi3.T { return c.doc }

// Exchange is one request and its answer. Bodies are given apart: those of the request and response may be spent.
type Exchange struct {
	Request      *http.Request // with its path as in the document, without a base path
	RequestBody  []byte
	Status       int
	Header       http.Header
	ResponseBody []byte
}

// Request returns what is wrong with a request; nil when nothing is.
func (c *Checker) Request(e Exchange) error {
	input, err := c.input(e)
	if err != nil {
		return err
	}
	c.mu.Lock()
	c.exercised[input.Route.Operation.OperationID] = true
	c.mu.Unlock()
	err = errors.Join(unknownQuery(input), openapi3filter.ValidateRequest(e.Request.Context(), input))
	if err != nil {
		return fmt.Errorf("request %s %s: %w", e.Request.Method, e.Request.URL.Path, err)
	}
	return nil
}

// Response returns what is wrong with the answer to a request.
func (c *Checker) Response(e Exchange) error {
	input, err := c.input(e)
	if err != nil {
		return err
	}
	// The default response of an operation is for refusals: a status below 400 has to stand in the document itself.
	// kin-openapi would be content with the default, and with any redirect.
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
			SkipSettingDefaults:               true, // else the checker would write defaults into what it checks
			// Else each complaint goes on with the whole schema and value.
			SchemaValidationOptions: []openapi3.SchemaValidationOption{openapi3.DisableSchemaErrorDetails()},
		},
	}, nil
}

// authenticate demands what a security scheme of the document promises: a bearer token, or a key in its header.
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
		return fmt.Errorf("security scheme %q is of a kind that this checker does not know", input.SecuritySchemeName)
	}
	return nil
}

// unknownQuery refuses query parameters that the document does not list; kin-openapi lets them pass.
func unknownQuery(input *openapi3filter.RequestValidationInput) error {
	var wrong []error
	for name := range input.Request.URL.Query() {
		if input.Route.Operation.Parameters.GetByInAndName(openapi3.ParameterInQuery, name) == nil {
			wrong = append(wrong, fmt.Errorf("unknown query parameter %q", name))
		}
	}
	return errors.Join(wrong...)
}

// Unexercised lists the operations that no checked request has called, in alphabetical order.
func (c *Checker) Unexercised() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var missing []string
	for _, path := range c.doc.Paths.Map() {
		for _, op := range path.Operations() {
			if !c.exercised[op.OperationID] {
				missing = append(missing, op.OperationID)
			}
		}
	}
	slices.Sort(missing)
	return missing
}
