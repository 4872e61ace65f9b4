package discovery

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"net/url"
	"strings"
	"time"
)

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
