package discovery

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/geminisku"
	"github.com/mesh-gateway/mesh-go/gen/anthropic"
	"github.com/mesh-gateway/mesh-go/gen/catalog"
	"github.com/mesh-gateway/mesh-go/gen/cloudbilling"
	"github.com/mesh-gateway/mesh-go/gen/deepseek"
	"github.com/mesh-gateway/mesh-go/gen/gemini"
	"github.com/mesh-gateway/mesh-go/gen/openai"
	"github.com/mesh-gateway/mesh-go/gen/xai"
	"github.com/mesh-gateway/mesh-go/gen/xaimanagement"
	"github.com/mesh-gateway/mesh-go/internal/cache"
	"github.com/mesh-gateway/mesh-go/internal/call"
	"github.com/mesh-gateway/mesh-go/internal/version"
)

// The defaults.
const (
	// DefaultCatalogTTL is the maximum age of a cached catalog.
	DefaultCatalogTTL = 24 * time.Hour
	// DefaultOutageTTL is the time after which an unavailable catalog is requested again.
	DefaultOutageTTL = time.Minute
	// DefaultMaxResponseBytes is the size limit of a response body: 32 MiB.
	DefaultMaxResponseBytes = 32 << 20
	// DefaultPricingTTL is how long a price list is cached.
	DefaultPricingTTL = 24 * time.Hour
	// DefaultBalanceTimeout and DefaultCostTimeout are the time limits of a request for a balance and for billed costs. A timeout limits
	// the time to the header of a response and each silence after it: a body may take up to ten times as long while its bytes arrive.
	DefaultBalanceTimeout = 10 * time.Second
	DefaultCostTimeout    = 15 * time.Second
	// DefaultCostLimit is the number of days in a page of OpenAI's or Anthropic's costs.
	DefaultCostLimit = 7
	// DefaultTimezone is the time zone of xAI's cost queries: UTC under its IANA name.
	DefaultTimezone = "Etc/GMT"

	defaultCatalogURL = "https://api.aimlapi.com"
	// listTimeout bounds one request for a list of models.
	listTimeout = 30 * time.Second
)

// Client reads models, prices, balances and bills. Make one with [New], or share [Default]. Each client has its own caches. It
// stores no key.
type Client struct {
	http       *http.Client
	catalogURL string
	baseURLs   map[Service]string // those set by WithBaseURL
	keys       map[Service]func(context.Context) (string, error)
	maxBytes   int64
	outageTTL  time.Duration
	log        *slog.Logger
	onFailure  func(Failure)
	strict     bool

	apis    apis
	catalog catalogCache
	tables  cache.Map[keyHash, listing[priceTable]]
	gemini  cache.Map[keyHash, listing[*geminisku.List]]
	xai     cache.Map[keyHash, listing[[]xai.LanguageModel]]
}

// apis are the generated clients. They hold no key: an editor adds it to each request.
type apis struct {
	catalog                   *catalog.Client
	openai, openaiAdmin       *openai.Client
	deepseek                  *deepseek.Client
	anthropic, anthropicAdmin *anthropic.Client
	gemini                    *gemini.Client
	cloudbilling              *cloudbilling.Client
	xai                       *xai.Client
	xaimanagement             *xaimanagement.Client
}

// New returns a client. It sends no request and reads no key.
//
// An option with an invalid argument, such as a malformed URL or a nil logger, is a [*ValueError]. MESH_CATALOG_URL is read here; if
// it is malformed, every request for the catalog is a [Failure] that does not show it.
func New(opts ...Option) (*Client, error) {
	c := &Client{
		catalogURL: strings.TrimRight(strings.TrimSpace(os.Getenv("MESH_CATALOG_URL")), "/"),
		baseURLs:   make(map[Service]string),
		keys:       make(map[Service]func(context.Context) (string, error)),
		maxBytes:   DefaultMaxResponseBytes,
		outageTTL:  DefaultOutageTTL,
		log:        slog.Default(),
		onFailure:  func(Failure) {},
	}
	for _, opt := range opts {
		if opt == nil {
			continue
		}
		if err := opt((*config)(c)); err != nil {
			return nil, err
		}
	}
	c.http = call.Client(c.http)
	c.apis = c.newAPIs()
	return c, nil
}

// Default returns one client for the whole process, so that its caches are shared. It is made without options by the first
// call.
func Default() *Client { return defaultClient() }

var defaultClient = sync.OnceValue(func() *Client {
	c, err := New()
	if err != nil {
		panic(err) // only options have errors
	}
	return c
})

// ready rejects the zero Client and a nil context.
func (c *Client) ready(ctx context.Context) error {
	if c == nil || c.apis.catalog == nil {
		return invalid("Client", "", "must be made with discovery.New")
	}
	if ctx == nil {
		return invalid("ctx", "", "must not be nil")
	}
	return nil
}

func (c *Client) newAPIs() apis {
	server := func(s Service) string { return c.baseURL(s) + "/" }
	agent := userAgent{c.http}
	return apis{
		catalog:        &catalog.Client{Server: cmp.Or(c.catalogURL, defaultCatalogURL) + "/", Client: agent},
		openai:         &openai.Client{Server: server(ServiceOpenAI), Client: agent},
		openaiAdmin:    &openai.Client{Server: server(ServiceOpenAIAdmin), Client: agent},
		deepseek:       &deepseek.Client{Server: server(ServiceDeepSeek), Client: agent},
		anthropic:      &anthropic.Client{Server: server(ServiceAnthropic), Client: agent},
		anthropicAdmin: &anthropic.Client{Server: server(ServiceAnthropicAdmin), Client: agent},
		gemini:         &gemini.Client{Server: server(ServiceGemini), Client: agent},
		cloudbilling:   &cloudbilling.Client{Server: server(ServiceCloudBilling), Client: agent},
		xai:            &xai.Client{Server: server(ServiceXAI), Client: agent},
		xaimanagement:  &xaimanagement.Client{Server: server(ServiceXAIManagement), Client: agent},
	}
}

// userAgent sends requests with the User-Agent of this module.
type userAgent struct{ client *http.Client }

// Do implements the HttpRequestDoer of the generated clients.
func (u userAgent) Do(req *http.Request) (*http.Response, error) {
	req.Header.Set("User-Agent", version.UserAgent())
	return u.client.Do(req) //nolint:gosec // the URL is that of a service, or of WithBaseURL
}

// baseURL returns the base URL of a service: that of WithBaseURL, else the one in the provider table.
func (c *Client) baseURL(service Service) string {
	if base := c.baseURLs[service]; base != "" {
		return base
	}
	p, row := lookupService(service)
	if row.baseURL == "" { // an admin API is on the host of the provider's first service
		return c.baseURL(p.services[0].service)
	}
	return row.baseURL
}

// report passes a failure to the handler and the log, and returns the error of the operation. It must run in a caller's
// goroutine, outside shared requests.
func (c *Client) report(ctx context.Context, f *Failure) error {
	c.onFailure(*f)
	c.log.WarnContext(ctx, "discovery failed", "operation", f.Operation, "provider", string(f.Provider),
		"reason", string(f.Reason), "status", f.StatusCode, "error", f.Err)
	return c.strictError(f)
}

// strictError returns f as an error for a client with WithStrictErrors, else nil.
func (c *Client) strictError(f *Failure) error {
	if c.strict {
		return f
	}
	return nil
}

// String returns a constant, because the fields of a client are not for logs.
func (c *Client) String() string { return "discovery client" }

// GoString returns the same as String, so that %#v does not print the fields.
func (c *Client) GoString() string { return c.String() }

// Option configures a [Client]. A nil Option is ignored. [New] returns the [*ValueError] of an invalid argument.
type Option func(*config) error

// config is a client that is being made, so that no option can change a finished one.
type config Client

// WithHTTPClient sets the HTTP client. The client is copied. Redirects are never followed, whatever its CheckRedirect is,
// because a key must not be sent to another host.
func WithHTTPClient(httpClient *http.Client) Option {
	return func(c *config) error {
		if httpClient == nil {
			return invalid("httpClient", "", "must not be nil")
		}
		c.http = httpClient
		return nil
	}
}

// WithCatalogURL sets the base URL of the primary catalog, without /models. It must have the scheme http or https and a host,
// and no user info, query or fragment; a base path is kept. The default is MESH_CATALOG_URL, else https://api.aimlapi.com.
func WithCatalogURL(catalogURL string) Option {
	return func(c *config) (err error) {
		c.catalogURL, err = checkedURL("catalogURL", catalogURL)
		return err
	}
}

// WithBaseURL sets the base URL of a service, for a proxy or a test. It must have the form that [WithCatalogURL] describes. The
// key of the service is sent there. [ServiceOpenAIAdmin] and [ServiceAnthropicAdmin] use the base URL of [ServiceOpenAI] and
// [ServiceAnthropic] unless they have their own.
func WithBaseURL(service Service, baseURL string) Option {
	return func(c *config) (err error) {
		if err := checkService(service); err != nil {
			return err
		}
		c.baseURLs[service], err = checkedURL("baseURL", baseURL)
		return err
	}
}

// WithOutageTTL sets the time after which an unavailable catalog or price list is requested again; with 0 every call requests
// it. The default is [DefaultOutageTTL].
func WithOutageTTL(outageTTL time.Duration) Option {
	return func(c *config) error {
		c.outageTTL = outageTTL
		return notNegative("outageTTL", outageTTL)
	}
}

// WithLogger sets the logger for failures, which are logged as warnings. The default is slog.Default() at the time of New.
func WithLogger(logger *slog.Logger) Option {
	return func(c *config) error {
		if logger == nil {
			return invalid("logger", "", "must not be nil")
		}
		c.log = logger
		return nil
	}
}

// WithFailureHandler sets a function that is called with every [Failure] before the operation returns; its address is the error. It may
// be called from several goroutines at the same time.
func WithFailureHandler(handler func(Failure)) Option {
	return func(c *config) error {
		if handler == nil {
			return invalid("handler", "", "must not be nil")
		}
		c.onFailure = handler
		return nil
	}
}

// WithStrictErrors makes operations also return every [Failure] as an error.
func WithStrictErrors() Option {
	return func(c *config) error {
		c.strict = true
		return nil
	}
}

// WithMaxResponseBytes sets the size limit of a response body after decompression; maxBytes must be positive. A larger response is a
// [Failure]. The default is [DefaultMaxResponseBytes].
func WithMaxResponseBytes(maxBytes int64) Option {
	return func(c *config) error {
		if maxBytes <= 0 {
			return invalid("maxBytes", fmt.Sprint(maxBytes), "must be positive")
		}
		c.maxBytes = min(maxBytes, math.MaxInt64/maxListBodies) // so that no sum overflows
		return nil
	}
}

// checkService refuses an unknown service.
func checkService(service Service) error {
	if row, _ := lookupService(service); row != nil {
		return nil
	}
	var names []string
	for i := range providerTable {
		for _, s := range providerTable[i].services {
			names = append(names, string(s.service))
		}
	}
	return invalid("service", string(service), "is not one of "+strings.Join(names, ", "))
}

// checkCatalogURL returns an error without the URL if MESH_CATALOG_URL is malformed. An @ after the host is the end of a password
// that has one of these characters: its beginning would be a port or host, and errors show those.
func (c *Client) checkCatalogURL() error {
	u, err := url.Parse(cmp.Or(c.catalogURL, defaultCatalogURL))
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" || strings.Contains(u.EscapedPath()+u.RawQuery+u.Fragment, "@") {
		return errors.New("MESH_CATALOG_URL must be http:// or https:// with a host, and /, ?, # and @ must be percent-encoded in a password")
	}
	return nil
}

// checkedURL returns a valid base URL without trailing slashes. The error never shows the URL, since user info and query may
// contain a key. An @ in the path is refused too, as by checkCatalogURL.
func checkedURL(field, text string) (string, error) {
	text = strings.TrimSpace(text)
	u, err := url.Parse(text)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" || strings.ContainsAny(text, "?#@") {
		return "", invalid(field, "", "must be http:// or https:// with a host, without @, ? and #")
	}
	return strings.TrimRight(text, "/"), nil
}
