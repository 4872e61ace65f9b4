package discoverytest

import (
	"net/http"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/testserver"
)

// Operation is an operation of a service, named by its document in specs/, a dot, and its operationId. Completions, platforms and
// the price table are in no document.
type Operation string

// The operations of the services.
const (
	ListCatalog         Operation = "catalog.listModels"
	GetPrices           Operation = "prices.getTable" // the price table of Client.UpdatePrices
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
	GenerateGeminiContent  Operation = "gemini.generateContent" // streamGenerateContent too
	CreateGeminiChat       Operation = "gemini.createChatCompletion"
	CreateDeepSeekChat     Operation = "deepseek.createChatCompletion"
	CreateDeepSeekResponse Operation = "deepseek.createResponse"
	CreateXAIChat          Operation = "xai.createChatCompletion"
	CreateXAIResponse      Operation = "xai.createResponse"
)

// services are the services with a base path. The admin services share that of their provider.
var services = []discovery.Service{
	discovery.ServiceOpenAI, discovery.ServiceDeepSeek, discovery.ServiceAnthropic, discovery.ServiceGemini,
	discovery.ServiceCloudBilling, discovery.ServiceXAI, discovery.ServiceXAIManagement,
}

// adminServices have a key of their own and no base path.
var adminServices = []discovery.Service{discovery.ServiceOpenAIAdmin, discovery.ServiceAnthropicAdmin}

// answer is the response of an operation.
type answer = testserver.Answer

// route is one operation: its path, its key and its response.
type route struct {
	op       Operation
	service  discovery.Service // "" for the catalog, which needs no key, and for platforms
	platform prices.Platform
	pattern  string // of net/http.ServeMux, below the base path of the service
	// adminService is the service of the key, if it is not service. Without a key of its own it takes that of service.
	adminService discovery.Service
	// keyHeader is the header of the key. refuse returns the response to a wrong key, or to none: "".
	keyHeader string
	refuse    func(key string) answer // nil for a service without keys
	run       func(*http.Request) answer
}

func (s *Server) routes() []route {
	return append(append(s.completionRoutes(), platformRoutes()...),
		s.catalogRoute(), s.openAIRoute(), s.deepSeekRoute(), s.anthropicRoute(), s.geminiRoute(), s.xaiRoute(), s.xaiLanguageModelsRoute(), s.cloudBillingRoute(),
		s.balanceRoute(), s.costsRoute(), s.pricesRoute(), s.anthropicCostsRoute(), s.anthropicUsageRoute(), s.usageRoute(),
	)
}

const catalogPath = "/catalog"

func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	for _, r := range s.routes() {
		base := "/" + string(r.service)
		switch {
		case r.platform != "":
			base = "/" + string(r.platform)
		case r.service == "":
			base = catalogPath
		}
		method, path, _ := strings.Cut(r.pattern, " ")
		mux.Handle(method+" "+base+path, http.StripPrefix(base, s.site.Handle(r.op, s.guarded(r))))
	}
	mux.HandleFunc("/", s.site.Handle("", notFound))
	return mux
}

// guarded checks the key before the operation runs.
func (s *Server) guarded(r route) func(*http.Request) answer {
	if r.refuse == nil {
		return r.run
	}
	expected, set := s.keys[r.service]
	if admin, ok := s.keys[r.adminService]; ok {
		expected, set = admin, true
	}
	return func(req *http.Request) answer {
		key := req.Header.Get(r.keyHeader)
		switch {
		case r.keyHeader == "Authorization":
			key = bearer(key)
		case r.keyHeader == "X-Api-Key" && r.adminService == "" && key == "": // Anthropic's TypeScript SDK sends a bearer token
			key = bearer(req.Header.Get("Authorization"))
		case r.keyHeader == "X-Goog-Api-Key" && key == "": // Google's own clients send the key in the URL
			key = req.URL.Query().Get("key")
		}
		if key == "" || (set && key != expected.Reveal()) {
			return r.refuse(key)
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

func notFound(*http.Request) answer {
	return answer{Status: http.StatusNotFound, Body: map[string]any{"error": map[string]any{"message": "unknown path"}}}
}
