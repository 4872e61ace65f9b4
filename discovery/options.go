package discovery

import (
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Option changes what [New] makes. The functions that make one panic with a [*ValueError] on an argument that cannot be used.
type Option func(*Client)

// WithHTTPClient sends through the given client. It is copied, so the original keeps its settings; redirects are never
// followed, whatever it says: a key must not travel to another host.
func WithHTTPClient(client *http.Client) Option {
	if client == nil {
		panic(&ValueError{Field: "http client", Reason: "is nil"})
	}
	return func(c *Client) { c.http = client }
}

// WithCatalogURL sets what stands before /models of the primary catalog: http or https, with a host, without user info,
// query and fragment; a base path is kept. The default is MESH_CATALOG_URL, else https://api.aimlapi.com.
func WithCatalogURL(base string) Option {
	base = checkedURL("catalog URL", base)
	return func(c *Client) { c.catalogURL = base }
}

// WithBaseURL sets what stands before the documented paths of a service, for a proxy or a test. It has the form that
// [WithCatalogURL] asks for; the service's key is sent there.
func WithBaseURL(service Service, base string) Option {
	if _, known := defaultBaseURLs()[service]; !known {
		panic(&ValueError{Field: "service", Value: string(service), Reason: "is not one of " + fmt.Sprint(slices.Sorted(maps.Keys(defaultBaseURLs())))})
	}
	base = checkedURL("base URL of "+string(service), base)
	return func(c *Client) { c.baseURLs[service] = base }
}

// WithOutageTTL sets how long a catalog that failed is not asked again, and what took its place is used; 0 asks at every
// call. The default is [DefaultOutageTTL].
func WithOutageTTL(ttl time.Duration) Option {
	if ttl < 0 {
		panic(&ValueError{Field: "outage TTL", Value: ttl.String(), Reason: "is negative"})
	}
	return func(c *Client) { c.outageTTL = ttl }
}

// WithLogger sets where failures are logged, as warnings. The default is slog.Default() at the time of New.
func WithLogger(logger *slog.Logger) Option {
	if logger == nil {
		panic(&ValueError{Field: "logger", Reason: "is nil"})
	}
	return func(c *Client) { c.log = logger }
}

// WithFailureHandler is called with every [Failure], in the goroutine where it happened and before the operation returns.
// It may be called from several goroutines at once.
func WithFailureHandler(handler func(Failure)) Option {
	if handler == nil {
		panic(&ValueError{Field: "failure handler", Reason: "is nil"})
	}
	return func(c *Client) { c.onFailure = handler }
}

// WithStrictErrors returns every [Failure] as an error too, for those who would rather know.
func WithStrictErrors() Option { return func(c *Client) { c.strict = true } }

// WithMaxResponseBytes bounds a response body, after decompression; a longer one is a failure. The default is
// [DefaultMaxResponseBytes].
func WithMaxResponseBytes(n int64) Option {
	if n <= 0 {
		panic(&ValueError{Field: "max response bytes", Value: fmt.Sprint(n), Reason: "has to be positive"})
	}
	return func(c *Client) { c.maxBytes = n }
}

// checkedURL refuses a base URL that no path can be put behind. It never shows the URL: user info and query may hold a key.
func checkedURL(field, text string) string {
	text = strings.TrimSpace(text)
	u, err := url.Parse(text)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" || u.User != nil || strings.ContainsAny(text, "?#") {
		panic(&ValueError{Field: field, Reason: "has to be http:// or https:// with a host, without user info, query and fragment"})
	}
	return strings.TrimRight(text, "/")
}

// defaultBaseURLs is where the services are.
func defaultBaseURLs() map[Service]string {
	return map[Service]string{
		ServiceOpenAI:        "https://api.openai.com",
		ServiceDeepSeek:      "https://api.deepseek.com",
		ServiceAnthropic:     "https://api.anthropic.com",
		ServiceGemini:        "https://generativelanguage.googleapis.com",
		ServiceCloudBilling:  "https://cloudbilling.googleapis.com",
		ServiceXAI:           "https://api.x.ai",
		ServiceXAIManagement: "https://management-api.x.ai",
	}
}
