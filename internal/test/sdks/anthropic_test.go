package sdks_test

import (
	"testing"
	"time"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
)

// anthropicModels reads all pages with the SDK. Every field that it requires must be there.
func anthropicModels(t *testing.T, s *discoverytest.Server, lifecycles ...string) (all []anthropic.ModelInfo) {
	t.Helper()
	client := anthropic.NewClient(option.WithBaseURL(s.URL+"/anthropic"), option.WithAPIKey(keyOf(discovery.ServiceAnthropic)))
	pager := client.Models.ListAutoPaging(t.Context(), anthropic.ModelListParams{Lifecycle: lifecycles})
	for pager.Next() {
		m := pager.Current()
		for name, raw := range map[string]string{
			"id": m.JSON.ID.Raw(), "capabilities": m.JSON.Capabilities.Raw(), "created_at": m.JSON.CreatedAt.Raw(), "deprecated_at": m.JSON.DeprecatedAt.Raw(),
			"display_name": m.JSON.DisplayName.Raw(), "lifecycle": m.JSON.Lifecycle.Raw(), "line": m.JSON.Line.Raw(), "max_input_tokens": m.JSON.MaxInputTokens.Raw(),
			"max_tokens": m.JSON.MaxTokens.Raw(), "retires_at": m.JSON.RetiresAt.Raw(), "type": m.JSON.Type.Raw(),
		} {
			if raw == "" {
				t.Errorf("%s lacks %s, which the SDK requires", m.ID, name)
			}
		}
		all = append(all, m)
	}
	check(t, pager.Err())
	return all
}

func TestAnthropicModels(t *testing.T) {
	t.Parallel()
	s := start(t)
	got := models(t, s, discovery.Anthropic)
	var ids []string
	for _, m := range anthropicModels(t, s) {
		ids = append(ids, m.ID)
		info := got[m.ID]
		same(t, m.ID+" name", value(info.Name), m.DisplayName)
		same(t, m.ID+" context length", value(info.ContextLength), m.MaxInputTokens)
		same(t, m.ID+" max tokens", value(info.MaxTokens), m.MaxTokens)
	}
	sameIDs(t, got, ids)
}

func TestAnthropicRetirements(t *testing.T) {
	t.Parallel()
	s := start(t)
	live, seen := retirements(t, s), map[anthropic.ModelInfoLifecycle]int{}
	for _, m := range anthropicModels(t, s, "active", "deprecated", "retired") {
		seen[m.Lifecycle]++
		got, listed := live[discovery.ModelKey{Provider: discovery.Anthropic, ID: m.ID}]
		overdue := !m.RetiresAt.IsZero() && day(m.RetiresAt) < day(time.Now())
		switch {
		case m.Lifecycle == anthropic.ModelInfoLifecycleActive && m.RetiresAt.IsZero():
			same(t, m.ID+" has an entry", listed, false)
		case m.Lifecycle == anthropic.ModelInfoLifecycleRetired:
			same(t, m.ID+" is retired", live.IsRetired(discovery.Anthropic, m.ID), true)
			if overdue {
				same(t, m.ID, got, day(m.RetiresAt))
			}
		case overdue || m.RetiresAt.IsZero():
			same(t, m.ID, got, "deprecated")
		default:
			same(t, m.ID, got, day(m.RetiresAt))
		}
	}
	if len(seen) != 3 {
		t.Errorf("the list has %v, want models of each lifecycle", seen)
	}
}
