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

	"github.com/mesh-gateway/mesh-go/discovery/facts"
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

// Defaults.
const (
	// DefaultCatalogTTL is the maximum age of the cached catalog.
	DefaultCatalogTTL = 24 * time.Hour
	// DefaultOutageTTL is the time before an unavailable catalog is requested again.
	DefaultOutageTTL = time.Minute
	// DefaultMaxResponseBytes limits response bodies to 32 MiB.
	DefaultMaxResponseBytes = 32 << 20
	// DefaultPricingTTL is the maximum age of a cached price list.
	DefaultPricingTTL = 24 * time.Hour
	// DefaultBalanceTimeout and DefaultCostTimeout limit requests for a balance and for
	// billed costs. A timeout covers the time until the response header, and each silence
	// after it. While bytes arrive, a body may take ten times as long.
	DefaultBalanceTimeout = 10 * time.Second
	DefaultCostTimeout    = 15 * time.Second
	// DefaultCostLimit is the number of days per page in OpenAI's and Anthropic's costs.
	DefaultCostLimit = 7
	// DefaultTimezone is UTC, the time zone for xAI's cost queries, under its IANA name.
	DefaultTimezone = "Etc/GMT"

	defaultCatalogURL = "https://api.aimlapi.com"
	listTimeout       = 30 * time.Second
)

// Client reads models, prices, balances and bills. Make one with [New], or share
// [Default]. Each client has its own caches. It doesn't store keys.
type Client struct {
	http       *http.Client
	catalogURL string
	baseURLs   map[Service]string // set by WithBaseURL
	keys       map[Service]func(context.Context) (string, error)
	maxBytes   int64
	outageTTL  time.Duration
	log        *slog.Logger
	onFailure  func(Failure)
	strict     bool
	facts      *facts.Facts

	apis     apis
	catalog  catalogCache
	received cache.Map[keyHash, listing[*facts.Facts]]
	gemini   cache.Map[keyHash, listing[*geminisku.List]]
	xai      cache.Map[keyHash, listing[[]xai.LanguageModel]]
}

// apis are the generated clients. They don't have keys: an editor adds the key to each
// request.
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
// If an option's argument is invalid, such as a malformed URL or a nil logger, New
// returns a [*ValueError]. It also reads MESH_CATALOG_URL. If that's malformed, each
// catalog request is a [Failure] that doesn't quote it.
func New(opts ...Option) (*Client, error) {
	c := &Client{
		catalogURL: strings.TrimRight(strings.TrimSpace(os.Getenv("MESH_CATALOG_URL")), "/"),
		baseURLs:   make(map[Service]string),
		keys:       make(map[Service]func(context.Context) (string, error)),
		maxBytes:   DefaultMaxResponseBytes,
		outageTTL:  DefaultOutageTTL,
		log:        slog.Default(),
		onFailure:  func(Failure) {},
		facts:      facts.BuiltIn(),
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

// Default returns the process-wide client, whose caches are shared. The first call makes
// it, without options.
func Default() *Client { return defaultClient() }

var defaultClient = sync.OnceValue(func() *Client {
	c, err := New()
	if err != nil {
		panic(err) // can't happen: only options have errors
	}
	return c
})

// ready rejects the zero Client and a nil context.
func (c *Client) ready(ctx context.Context) error {
	if c == nil || c.apis.catalog == nil {
		return invalid("Client", "", "must be made with discovery.New")
	}
	return notNil("ctx", ctx != nil)
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

type userAgent struct{ client *http.Client }

// Do implements the generated clients' HttpRequestDoer.
func (u userAgent) Do(req *http.Request) (*http.Response, error) {
	req.Header.Set("User-Agent", version.UserAgent())
	return u.client.Do(req) //nolint:gosec // the URL belongs to a service or comes from WithBaseURL
}

func (c *Client) baseURL(service Service) string {
	if base := c.baseURLs[service]; base != "" {
		return base
	}
	p, row := lookupService(service)
	if row.baseURL == "" { // an admin API is on the same host as the provider's first service
		return c.baseURL(p.services[0].service)
	}
	return row.baseURL
}

// report passes a failure to the handler and the log, and returns the operation's error.
// Call it in a caller's goroutine, never within a shared request.
func (c *Client) report(ctx context.Context, f *Failure) error {
	c.onFailure(*f)
	c.log.WarnContext(ctx, "discovery failed", "operation", f.Operation, "provider", f.source(),
		"reason", string(f.Reason), "status", f.StatusCode, "error", f.Err)
	return c.strictError(f)
}

func (c *Client) strictError(f *Failure) error {
	if c.strict {
		return f
	}
	return nil
}

// String returns a constant, because a client's fields aren't for logs.
func (c *Client) String() string { return "discovery client" }

// GoString returns the same as String, so that %#v doesn't print fields.
func (c *Client) GoString() string { return c.String() }

// Option configures a [Client]. Nil options are ignored. If an argument is invalid, [New]
// returns a [*ValueError].
type Option func(*config) error

// config keeps options from changing a client after New returns.
type config Client

// WithHTTPClient sets the HTTP client, which is copied. Redirects are never followed,
// whatever CheckRedirect says, because a key must not be sent to another host.
func WithHTTPClient(httpClient *http.Client) Option {
	return func(c *config) error {
		c.http = httpClient
		return notNil("httpClient", httpClient != nil)
	}
}

// WithCatalogURL sets the catalog's base URL, without /models. It needs an http or https
// scheme and a host, and must not have user info, a query or a fragment. The default is
// MESH_CATALOG_URL, or else https://api.aimlapi.com.
func WithCatalogURL(catalogURL string) Option {
	return func(c *config) (err error) {
		c.catalogURL, err = checkedURL("catalogURL", catalogURL)
		return err
	}
}

// WithBaseURL sets a service's base URL, for a proxy or a test. See [WithCatalogURL] for
// its form. The service's key is sent there. [ServiceOpenAIAdmin] and
// [ServiceAnthropicAdmin] follow [ServiceOpenAI] and [ServiceAnthropic], unless you set
// them separately.
func WithBaseURL(service Service, baseURL string) Option {
	return func(c *config) (err error) {
		if err := checkService(service); err != nil {
			return err
		}
		c.baseURLs[service], err = checkedURL("baseURL", baseURL)
		return err
	}
}

// WithOutageTTL sets the time before an unavailable catalog or price list is requested
// again. 0 means at every call. The default is [DefaultOutageTTL].
func WithOutageTTL(outageTTL time.Duration) Option {
	return func(c *config) error {
		c.outageTTL = outageTTL
		return notNegative("outageTTL", outageTTL)
	}
}

// WithLogger sets the logger for failures, which are logged as warnings. The default is
// slog.Default() when New is called.
func WithLogger(logger *slog.Logger) Option {
	return func(c *config) error {
		c.log = logger
		return notNil("logger", logger != nil)
	}
}

// WithFailureHandler sets a function that is called with each [Failure] before the
// operation returns. It may be called concurrently.
func WithFailureHandler(handler func(Failure)) Option {
	return func(c *config) error {
		c.onFailure = handler
		return notNil("handler", handler != nil)
	}
}

// WithStrictErrors makes operations return failures as errors, too.
func WithStrictErrors() Option {
	return func(c *config) error {
		c.strict = true
		return nil
	}
}

// WithMaxResponseBytes limits response bodies after decompression. maxBytes must be
// positive. A larger response is a [Failure]. The default is [DefaultMaxResponseBytes].
func WithMaxResponseBytes(maxBytes int64) Option {
	return func(c *config) error {
		if maxBytes <= 0 {
			return invalid("maxBytes", fmt.Sprint(maxBytes), "must be positive")
		}
		c.maxBytes = min(maxBytes, math.MaxInt64/maxListBodies) // prevents overflow
		return nil
	}
}

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

// checkCatalogURL returns an error that doesn't quote a malformed MESH_CATALOG_URL. It
// also rejects an @ after the host: there, a password contains an unescaped /, ? or #,
// its first part looks like a host or port, and errors would show it.
func (c *Client) checkCatalogURL() error {
	u, err := url.Parse(cmp.Or(c.catalogURL, defaultCatalogURL))
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" || strings.Contains(u.EscapedPath()+u.RawQuery+u.Fragment, "@") {
		return errors.New("MESH_CATALOG_URL must be http:// or https:// with a host, and /, ?, # and @ must be percent-encoded in a password")
	}
	return nil
}

// checkedURL removes trailing slashes from a base URL. Its error doesn't quote the URL,
// because user info and query may contain a key. It also rejects an @ in the path, like
// checkCatalogURL.
func checkedURL(field, text string) (string, error) {
	text = strings.TrimSpace(text)
	u, err := url.Parse(text)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" || strings.ContainsAny(text, "?#@") {
		return "", invalid(field, "", "must be http:// or https:// with a host, without @, ? and #")
	}
	return strings.TrimRight(text, "/"), nil
}
