package discovery

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/envfile"
	"github.com/mesh-gateway/mesh-go/discovery/internal/modelid"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/internal/cache"
	"github.com/mesh-gateway/mesh-go/internal/secret"
)

// Service is an API that has its own base URL ([WithBaseURL]) and key ([WithKey]).
type Service string

// The services, with the variable of the environment that has the key. Those named after a provider list its models. The others
// have separate keys with more rights. The key of DeepSeek's balance may also be in the file that DEEPSEEK_LEGACY_ENV_PATH names.
const (
	ServiceOpenAI         Service = "openai"         // OPENAI_API_KEY
	ServiceOpenAIAdmin    Service = "openaiadmin"    // OPENAI_ADMIN_KEY: billed costs
	ServiceDeepSeek       Service = "deepseek"       // DEEPSEEK_API_KEY: also the balance
	ServiceAnthropic      Service = "anthropic"      // ANTHROPIC_API_KEY
	ServiceAnthropicAdmin Service = "anthropicadmin" // ANTHROPIC_ADMIN_KEY: billed costs
	ServiceGemini         Service = "gemini"         // GEMINI_API_KEY
	ServiceCloudBilling   Service = "cloudbilling"   // GOOGLE_CLOUD_BILLING_API_KEY, else GOOGLE_CLOUD_API_KEY: Google's list prices
	ServiceXAI            Service = "xai"            // XAI_API_KEY
	ServiceXAIManagement  Service = "xaimanagement"  // XAI_MANAGEMENT_KEY: billed costs
	ServicePrices         Service = "prices"         // the price table of this project, which needs no key
)

// providerInfo describes the APIs of a provider.
type providerInfo struct {
	provider models.Provider
	// services has the service that lists the models first. A service without a base URL has the base URL of the first.
	services []serviceInfo
	// list returns the provider's own list of models.
	list func(*Client, context.Context, request) ([]ModelInfo, *Failure)
	// refusedKey has the texts by which a status of 400 means that the key was refused.
	refusedKey []string
}

// serviceInfo is one API of a provider.
type serviceInfo struct {
	service Service
	baseURL string
	// keyNames are the environment variables for the key, in the order in which they are read.
	keyNames []string
}

// providerTable has a row for each provider, and one for the service of none, which has no key and so no list of models. A new provider
// is a row here, a document in specs/, a list in lists.go, and its names and the rules for its ids in internal/modelid.
var providerTable = []providerInfo{
	{
		provider: models.OpenAI, list: (*Client).listOpenAI,
		services: []serviceInfo{
			{service: ServiceOpenAI, baseURL: "https://api.openai.com", keyNames: []string{"OPENAI_API_KEY"}},
			{service: ServiceOpenAIAdmin, keyNames: []string{"OPENAI_ADMIN_KEY"}},
		},
	},
	{
		provider: models.DeepSeek, list: (*Client).listDeepSeek,
		services: []serviceInfo{
			{service: ServiceDeepSeek, baseURL: "https://api.deepseek.com", keyNames: []string{"DEEPSEEK_API_KEY"}},
		},
	},
	{
		provider: models.Anthropic, list: (*Client).listAnthropic,
		services: []serviceInfo{
			{service: ServiceAnthropic, baseURL: "https://api.anthropic.com", keyNames: []string{"ANTHROPIC_API_KEY"}},
			{service: ServiceAnthropicAdmin, keyNames: []string{"ANTHROPIC_ADMIN_KEY"}},
		},
	},
	{
		provider: models.Gemini, list: (*Client).listGemini,
		services: []serviceInfo{
			{service: ServiceGemini, baseURL: "https://generativelanguage.googleapis.com", keyNames: []string{"GEMINI_API_KEY"}},
			// GOOGLE_API_KEY is a chat key and must not reach the billing service.
			{
				service: ServiceCloudBilling, baseURL: "https://cloudbilling.googleapis.com",
				keyNames: []string{"GOOGLE_CLOUD_BILLING_API_KEY", "GOOGLE_CLOUD_API_KEY"},
			},
		},
		refusedKey: []string{"API_KEY_INVALID", "API key not valid"},
	},
	{
		provider: models.XAI, list: (*Client).listXAI,
		services: []serviceInfo{
			{service: ServiceXAI, baseURL: "https://api.x.ai", keyNames: []string{"XAI_API_KEY"}},
			{service: ServiceXAIManagement, baseURL: "https://management-api.x.ai", keyNames: []string{"XAI_MANAGEMENT_KEY"}},
		},
		refusedKey: []string{"Incorrect API key"},
	},
	{services: []serviceInfo{
		{service: ServicePrices, baseURL: "https://raw.githubusercontent.com/mesh-gateway/mesh-go/main/discovery/prices"},
	}},
}

// lookupService returns the rows of a service, or nil.
func lookupService(service Service) (*providerInfo, *serviceInfo) {
	for i := range providerTable {
		for j := range providerTable[i].services {
			if providerTable[i].services[j].service == service {
				return &providerTable[i], &providerTable[i].services[j]
			}
		}
	}
	return nil, nil
}

// developedBy reports whether the developer of a catalog row is the provider, which must be known.
func developedBy(provider models.Provider, developer string) bool {
	return modelid.Lookup(developer) == modelid.Lookup(provider)
}

// Secret is a text that prints, logs and marshals as "[REDACTED]", also in a query. It has no exported fields. Its method Reveal returns the text, and
// Equal, like ==, reports whether two secrets have the same text. [NewSecret] makes one, and the
// zero Secret is empty. It is the type that package client has under the same name.
type Secret = secret.Secret

// NewSecret returns text as a [Secret], as in PricingOptions{APIKey: NewSecret(key)}.
func NewSecret(text string) Secret { return secret.New(text) }

// WithKey sets a function that returns the key of a service, for example from a vault or for a tenant in the context. An
// argument such as [PricingOptions.APIKey] takes precedence. The environment is not used, even if keyFunc returns "", so that one
// tenant never gets the key of another. keyFunc is called for every request that needs a key, possibly from several goroutines at
// the same time. An error of keyFunc is reported as a [Failure] with [ReasonMissingCredential], and so is one that does not return within
// 30 seconds.
//
// keyFunc may call methods of the client, with the context that it receives. A call that would wait for the request that needs the
// key, such as a ListModels for which the providers' lists are requested, fails with a Failure at once.
//
// All callers of a client share the catalog and its fallback lists; for these, keyFunc receives the values of the context whose call
// started the request.
func WithKey(service Service, keyFunc func(context.Context) (string, error)) Option {
	return func(c *config) error {
		if err := checkService(service); err != nil {
			return err
		}
		switch {
		case service == ServicePrices:
			return invalid("service", string(service), "needs no key")
		case keyFunc == nil:
			return invalid("keyFunc", "", "must not be nil")
		}
		c.keys[service] = keyFunc
		return nil
	}
}

// errNoKey is the cause when a key is neither given nor in the environment.
var errNoKey = errors.New("no key")

// key returns the key of a service: the argument, else the result of the function of [WithKey], else the first environment
// variable of the service that is not blank. The environment is read at every call, because keys are rotated while programs
// run. The error wraps errNoKey unless the function of WithKey failed.
func (c *Client) key(ctx context.Context, service Service, argument Secret) (Secret, error) {
	if key := strings.TrimSpace(argument.Reveal()); key != "" {
		return NewSecret(key), nil
	}
	if fn := c.keys[service]; fn != nil {
		return keyFromFunc(ctx, service, fn)
	}
	_, row := lookupService(service)
	for _, name := range row.keyNames {
		if key := strings.TrimSpace(os.Getenv(name)); key != "" {
			return NewSecret(key), nil
		}
	}
	return Secret{}, fmt.Errorf("%w is given, and %s is not set", errNoKey, strings.Join(row.keyNames, " or "))
}

// deepSeekKey returns the key for the balance: the result of key, else the key in the file that DEEPSEEK_LEGACY_ENV_PATH names.
// With a function of WithKey, the file is not read.
func (c *Client) deepSeekKey(ctx context.Context, argument Secret) (Secret, error) {
	const keyName, fileName = "DEEPSEEK_API_KEY", "DEEPSEEK_LEGACY_ENV_PATH"
	key, err := c.key(ctx, ServiceDeepSeek, argument)
	if err == nil || !errors.Is(err, errNoKey) || c.keys[ServiceDeepSeek] != nil {
		return key, err
	}
	path := strings.TrimSpace(os.Getenv(fileName))
	if path == "" {
		return Secret{}, fmt.Errorf("no key is given, and neither %s nor %s is set", keyName, fileName)
	}
	if key, err = envfile.Key(path, keyName); err != nil {
		return Secret{}, fmt.Errorf("the file that %s names: %w", fileName, err)
	}
	return key, nil
}

func keyFromFunc(ctx context.Context, service Service, fn func(context.Context) (string, error)) (Secret, error) {
	text, err := callKeyFunc(ctx, fn)
	key := secret.New(strings.TrimSpace(text))
	switch {
	case err != nil:
		return Secret{}, fmt.Errorf("the key function of %s: %w", service, redactedError(err, secret.NewRedactor(key).Redact(err.Error())))
	case key.Reveal() == "":
		return key, fmt.Errorf("%w from the key function of %s", errNoKey, service)
	}
	return key, nil
}

// keyTimeout bounds a key function. One that calls the client with another context than its own may wait for itself.
const keyTimeout = listTimeout

// callKeyFunc calls fn. If ctx or the time ends first, it does not wait for fn.
func callKeyFunc(ctx context.Context, fn func(context.Context) (string, error)) (string, error) {
	bounded, cancel := context.WithTimeoutCause(ctx, keyTimeout, fmt.Errorf("no key within %v", keyTimeout))
	defer cancel()
	var result cache.Value[string]
	never := func(string, time.Time) bool { return false }
	text, _, err := result.Get(bounded, never, func(context.Context) (string, error) { return fn(bounded) })
	if cause := context.Cause(bounded); err != nil && ctx.Err() == nil && cause != nil {
		err = fmt.Errorf("%w: %w", cause, err)
	}
	return text, err
}
