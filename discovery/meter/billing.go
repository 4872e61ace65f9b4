package meter

import (
	"cmp"
	"net/http"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/internal/endpoints"
)

// subscription is the Billing of the records of calls that are not charged.
const subscription = "subscription"

// loginToken begins the access tokens of a login to Claude. Keys of the API begin otherwise.
const loginToken = "sk-ant-oat" //nolint:gosec // a prefix

// billing returns how a call is billed: as a subscription if it has the token of a login, or goes to ChatGPT. The Host field names the
// host where a proxy has its own one in the URL.
func billing(req *http.Request) string {
	scheme, token, _ := strings.Cut(req.Header.Get("Authorization"), " ")
	if strings.EqualFold(scheme, "Bearer") && strings.HasPrefix(strings.TrimLeft(token, " "), loginToken) {
		return subscription
	}
	if e, _ := official(cmp.Or(req.Host, req.URL.Host)); e.Subscription && endpoints.Subscribed(req.URL.Path) {
		return subscription
	}
	return ""
}

// free reports whether calls with a Billing cost the budgets nothing.
func (m *Meter) free(billing string) bool { return m.chargesOnly && billing == subscription }
