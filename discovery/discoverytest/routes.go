package discoverytest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/facts"
	"github.com/mesh-gateway/mesh-go/internal/testserver"
)

// Operation is a service operation: the document's name in specs/, a dot, and the
// operationId. Completions, platforms and facts aren't in a document.
type Operation string

// Service operations.
const (
	ListCatalog         Operation = "catalog.listModels"
	GetFacts            Operation = "facts.get" // Client.UpdateFacts
	ListOpenAIModels    Operation = "openai.listModels"
	ListDeepSeekModels  Operation = "deepseek.listModels"
	ListAnthropicModels Operation = "anthropic.listModels"
	ListGeminiModels    Operation = "gemini.listModels"
	ListXAIModels       Operation = "xai.listModels"

	ListXAILanguageModels Operation = "xai.listLanguageModels"

	CloudBillingListSKUs Operation = "cloudbilling.listSkus"

	GetDeepSeekBalance Operation = "deepseek.getBalance"
	ListOpenAICosts    Operation = "openai.listCosts"
	ListAnthropicCosts Operation = "anthropic.listCosts"
	ListAnthropicUsage Operation = "anthropic.listUsage"
	GetXAIUsage        Operation = "xaimanagement.getUsage"

	CreateOpenAIChat       Operation = "openai.createChatCompletion"
	CreateOpenAIResponse   Operation = "openai.createResponse"
	CreateAnthropicMessage Operation = "anthropic.createMessage"
	GenerateGeminiContent  Operation = "gemini.generateContent" // and streamGenerateContent
	CreateGeminiChat       Operation = "gemini.createChatCompletion"
	CreateDeepSeekChat     Operation = "deepseek.createChatCompletion"
	CreateDeepSeekResponse Operation = "deepseek.createResponse"
	CreateXAIChat          Operation = "xai.createChatCompletion"
	CreateXAIResponse      Operation = "xai.createResponse"
)

// services have a base path. Admin services share their provider's.
var services = []discovery.Service{
	discovery.ServiceOpenAI, discovery.ServiceDeepSeek, discovery.ServiceAnthropic, discovery.ServiceGemini,
	discovery.ServiceCloudBilling, discovery.ServiceXAI, discovery.ServiceXAIManagement,
}

// adminServices have their own key, but no base path.
var adminServices = []discovery.Service{discovery.ServiceOpenAIAdmin, discovery.ServiceAnthropicAdmin}

type response = testserver.Response

type route struct {
	op      Operation
	service service
	pattern string // net/http.ServeMux pattern, relative to the service's base path
	// admin is set if the operation requires an admin key. If that key isn't set, the
	// service's own key is required.
	admin discovery.Service
	run   func(*http.Request) response
}

// service describes how a service reads keys and reports errors. Its name selects the
// error templates.
type service struct {
	name           discovery.Service // base path; also a platform or the catalog
	keyHeader      string            // "" for a service that needs no key
	missing, wrong int               // statuses for a missing and a wrong key
	header         http.Header       // of error responses
}

const authorization, xAPIKey, googleKey = "Authorization", "X-Api-Key", "X-Goog-Api-Key" //nolint:gosec // header names

var (
	openAI        = service{discovery.ServiceOpenAI, authorization, 401, 401, nil}
	deepSeek      = service{discovery.ServiceDeepSeek, authorization, 401, 401, nil}
	xai           = service{discovery.ServiceXAI, authorization, 401, 400, nil}
	xaiManagement = service{discovery.ServiceXAIManagement, authorization, 401, 401, nil}
	anthropic     = service{discovery.ServiceAnthropic, xAPIKey, 401, 401, nil}
	gemini        = service{discovery.ServiceGemini, googleKey, 400, 400, googleJSON}
	geminiChat    = service{discovery.ServiceGemini, authorization, 400, 400, googleJSON}
	cloudBilling  = service{discovery.ServiceCloudBilling, googleKey, 403, 400, googleJSON}
	catalog       = service{name: "catalog"}
	factTables    = service{name: discovery.ServiceFacts}
)

func (s service) fail(status int, problem string, data any) response {
	return response{Status: status, Header: s.header, Body: json.RawMessage(fill(string(s.name)+" "+problem, data))}
}

func (s service) refuse(key string) response {
	if key == "" {
		return s.fail(s.missing, "without key", nil)
	}
	return s.fail(s.wrong, "wrong key", key)
}

func (s service) bad(message string) response {
	return s.fail(http.StatusBadRequest, "bad request", message)
}

func (s *Server) routes() []route {
	const openAIAdmin, anthropicAdmin = discovery.ServiceOpenAIAdmin, discovery.ServiceAnthropicAdmin
	return slices.Concat(s.completionRoutes(), s.platformRoutes(), []route{
		{op: ListCatalog, service: catalog, pattern: "GET /models", run: s.listCatalog},
		{op: GetFacts, service: factTables, pattern: "GET /" + facts.BundleName, run: s.getFacts},
		{op: ListOpenAIModels, service: openAI, pattern: "GET /v1/models", run: always(openAIModels)},
		{op: ListDeepSeekModels, service: deepSeek, pattern: "GET /models", run: always(deepSeekModels)},
		{op: ListXAIModels, service: xai, pattern: "GET /v1/models", run: always(xaiModels)},
		{op: ListXAILanguageModels, service: xai, pattern: "GET /v1/language-models", run: always(xaiLanguageModels)},
		{op: ListAnthropicModels, service: anthropic, pattern: "GET /v1/models", run: s.listAnthropicModels},
		{op: ListGeminiModels, service: gemini, pattern: "GET /v1beta/models", run: s.listGeminiModels},
		{op: CloudBillingListSKUs, service: cloudBilling, pattern: "GET /v1/services/{service}/skus", run: s.listSKUs},
		{op: GetDeepSeekBalance, service: deepSeek, pattern: "GET /user/balance", run: always(deepSeekBalance)},
		{op: ListOpenAICosts, service: openAI, admin: openAIAdmin, pattern: "GET /v1/organization/costs", run: s.listCosts},
		{op: ListAnthropicCosts, service: anthropic, admin: anthropicAdmin, pattern: "GET /v1/organizations/cost_report", run: s.listAnthropicCosts},
		{op: ListAnthropicUsage, service: anthropic, admin: anthropicAdmin, pattern: "GET /v1/organizations/usage_report/messages", run: s.listAnthropicUsage},
		{op: GetXAIUsage, service: xaiManagement, pattern: "POST /v1/billing/teams/{team_id}/usage", run: getUsage},
	})
}

func always(file []byte) func(*http.Request) response {
	body := embedded[map[string]json.RawMessage](file)
	return func(*http.Request) response { return ok(body) }
}

func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	for _, r := range s.routes() {
		base := "/" + string(r.service.name)
		method, path, _ := strings.Cut(r.pattern, " ")
		mux.Handle(method+" "+base+path, http.StripPrefix(base, s.site.Handle(r.op, s.guarded(r))))
	}
	mux.HandleFunc("/", s.site.Handle("", notFound))
	return mux
}

func (s *Server) guarded(r route) func(*http.Request) response {
	if r.service.keyHeader == "" {
		return r.run
	}
	expected, set := s.keys[r.service.name]
	if admin, ok := s.keys[r.admin]; ok {
		expected, set = admin, true
	}
	return func(req *http.Request) response {
		header := r.service.keyHeader
		key := req.Header.Get(header)
		switch {
		case header == authorization:
			key = bearer(key)
		case header == xAPIKey && r.admin == "" && key == "": // Anthropic's TypeScript SDK sends a bearer token
			key = bearer(req.Header.Get(authorization))
		case header == googleKey && key == "": // Google's own clients send the key in the URL
			key = req.URL.Query().Get("key")
		}
		if key == "" || (set && key != expected.Reveal()) {
			return r.service.refuse(key)
		}
		return r.run(req)
	}
}

func bearer(authorization string) string {
	key, ok := strings.CutPrefix(authorization, "Bearer ")
	if !ok {
		return ""
	}
	return key
}

func notFound(*http.Request) response {
	return response{Status: http.StatusNotFound, Body: object{"error": object{"message": "unknown path"}}}
}
