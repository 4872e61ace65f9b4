package discoverytest

import (
	"net/http"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/internal/testserver"
)

// Operation names an operation of a service: the document in specs/, a dot, and the operationId there.
type Operation string

// The operations of the services.
const (
	ListCatalog         Operation = "catalog.listModels"
	ListOpenAIModels    Operation = "openai.listModels"
	ListDeepSeekModels  Operation = "deepseek.listModels"
	ListAnthropicModels Operation = "anthropic.listModels"
	ListGeminiModels    Operation = "gemini.listModels"
	ListXAIModels       Operation = "xai.listModels"

	CloudBillingListSKUs Operation = "cloudbilling.listSkus"

	GetDeepSeekBalance Operation = "deepseek.getBalance"
	ListOpenAICosts    Operation = "openai.listCosts"
	GetXAIUsage        Operation = "xaimanagement.getUsage"
)

// services are those that a client has a base URL for, whether they have operations here or not.
var services = []discovery.Service{
	discovery.ServiceOpenAI, discovery.ServiceDeepSeek, discovery.ServiceAnthropic, discovery.ServiceGemini,
	discovery.ServiceCloudBilling, discovery.ServiceXAI, discovery.ServiceXAIManagement,
}

// answer is what an operation wants to say.
type answer = testserver.Answer

// route is one operation: where it is, how it tells a key, and what it answers. Each service has its routes in a file of
// its own.
type route struct {
	op      Operation
	service discovery.Service // "" for the catalog, which wants no key
	pattern string            // of net/http.ServeMux, below the base path of the service
	// keyHeader is where the key is due, and refuse what a wrong one is answered, or none: "".
	keyHeader string
	refuse    func(key string) answer
	run       func(*http.Request) answer
}

func (s *Server) routes() []route {
	return []route{
		s.catalogRoute(), s.openAIRoute(), s.deepSeekRoute(), s.anthropicRoute(), s.geminiRoute(), s.xaiRoute(), s.cloudBillingRoute(),
		s.balanceRoute(), s.costsRoute(), s.usageRoute(),
	}
}

const catalogPath = "/catalog"

func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	for _, r := range s.routes() {
		base := "/" + string(r.service)
		if r.service == "" {
			base = catalogPath
		}
		method, path, _ := strings.Cut(r.pattern, " ")
		mux.Handle(method+" "+base+path, http.StripPrefix(base, s.site.Handle(r.op, s.guarded(r))))
	}
	mux.HandleFunc("/", s.site.Handle("", notFound))
	return mux
}

// guarded looks at the key before the operation is run.
func (s *Server) guarded(r route) func(*http.Request) answer {
	if r.service == "" {
		return r.run
	}
	wanted, one := s.keys[r.service]
	return func(req *http.Request) answer {
		key := req.Header.Get(r.keyHeader)
		if r.keyHeader == "Authorization" {
			key = bearer(key)
		}
		if key == "" || (one && key != wanted.Reveal()) {
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
	return answer{Status: http.StatusNotFound, Body: map[string]any{"error": map[string]any{"message": "there is no such path here"}}}
}
