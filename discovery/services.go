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

// Services, with the environment variable for the key. A service named after a provider
// lists its models. The other keys are separate and have more rights. DeepSeek's balance
// key may also be in the file named by DEEPSEEK_LEGACY_ENV_PATH.
const (
	ServiceOpenAI         Service = "openai"         // OPENAI_API_KEY
	ServiceOpenAIAdmin    Service = "openaiadmin"    // OPENAI_ADMIN_KEY: billed costs
	ServiceDeepSeek       Service = "deepseek"       // DEEPSEEK_API_KEY: also the balance
	ServiceAnthropic      Service = "anthropic"      // ANTHROPIC_API_KEY
	ServiceAnthropicAdmin Service = "anthropicadmin" // ANTHROPIC_ADMIN_KEY: billed costs
	ServiceGemini         Service = "gemini"         // GEMINI_API_KEY
	ServiceCloudBilling   Service = "cloudbilling"   // GOOGLE_CLOUD_BILLING_API_KEY, or else GOOGLE_CLOUD_API_KEY: Google's list prices
	ServiceXAI            Service = "xai"            // XAI_API_KEY
	ServiceXAIManagement  Service = "xaimanagement"  // XAI_MANAGEMENT_KEY: billed costs
	ServiceFacts          Service = "facts"          // this project's facts, which need no key
)

// providerInfo describes a provider's APIs.
type providerInfo struct {
	provider models.Provider
	// The first service lists the models. Services without a base URL share the first
	// one's.
	services []serviceInfo
	// list returns the provider's own model list.
	list func(*Client, context.Context, request) ([]ModelInfo, *Failure)
	// refusedKey has texts that show that a 400 means a refused key.
	refusedKey []string
}

type serviceInfo struct {
	service Service
	baseURL string
	// keyNames are environment variables, in the order they are tried.
	keyNames []string
}

// providerTable has a row per provider, and one for services without a provider, which
// have no key and so no model list. A new provider needs a row here, a document in
// specs/, a list in lists.go, and its names and id rules in internal/modelid.
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
			// GOOGLE_API_KEY is a chat key and must not reach the billing service
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
		{service: ServiceFacts, baseURL: "https://raw.githubusercontent.com/mesh-gateway/mesh-go/facts"},
	}},
}

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

// developedBy compares a catalog row's developer with a known provider.
func developedBy(provider models.Provider, developer string) bool {
	return modelid.Lookup(developer) == modelid.Lookup(provider)
}

// Secret is a string that prints, logs and marshals as "[REDACTED]", even within a query.
// Make one with [NewSecret]. Its method Reveal returns the string. Equal and == compare
// secrets, and the zero Secret is empty. It's the same type as in package client.
type Secret = secret.Secret

// NewSecret returns text as a [Secret], as in PricingOptions{APIKey: NewSecret(key)}.
func NewSecret(text string) Secret { return secret.New(text) }

// WithKey sets a function that returns a service's key, for example from a vault or for
// the tenant in ctx. An argument such as [PricingOptions.APIKey] takes precedence. The
// environment isn't used even if keyFunc returns "", so that a tenant never gets another
// tenant's key.
//
// # Calls
//
// keyFunc is called for each request that needs a key, possibly concurrently. For the
// catalog and its fallback lists, which all callers share, it gets the values of the
// context whose call started the request.
//
// keyFunc may call the client's methods with the context it receives. If such a call
// would wait for the request that needs the key, it fails at once with a Failure. For
// example, ListModels waits if it reads the providers' lists.
//
// # Errors
//
// If keyFunc fails, or doesn't return within 30 seconds, that's a [Failure] with
// [ReasonMissingCredential].
func WithKey(service Service, keyFunc func(context.Context) (string, error)) Option {
	return func(c *config) error {
		if err := checkService(service); err != nil {
			return err
		}
		switch {
		case service == ServiceFacts:
			return invalid("service", string(service), "needs no key")
		case keyFunc == nil:
			return invalid("keyFunc", "", "must not be nil")
		}
		c.keys[service] = keyFunc
		return nil
	}
}

// errNoKey means that no argument, key function or variable has a key.
var errNoKey = errors.New("no key")

// key returns a service's key: the argument, or else the result of [WithKey]'s function,
// or else the first variable that isn't blank. The environment is read at every call,
// because keys are rotated while programs run. The error wraps errNoKey unless the key
// function failed.
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

// deepSeekKey also looks in the file named by DEEPSEEK_LEGACY_ENV_PATH, unless there is a
// key function.
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

// keyTimeout bounds a key function, which may wait for itself if it calls the client with
// another context.
const keyTimeout = listTimeout

// callKeyFunc calls fn, and stops waiting if ctx or the time ends.
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
