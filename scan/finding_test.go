package scan_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/scan"
)

// holder has values in unexported fields, where fmt does not call their methods.
type holder struct {
	pointer *scan.Scanner
	value   scan.Scanner
	option  scan.Option
	finding scan.Finding
}

// printed returns v in every format in which a program is likely to print it.
func printed(t *testing.T, v any) []string {
	t.Helper()
	var logs bytes.Buffer
	slog.New(slog.NewTextHandler(&logs, nil)).Info("m", "v", v)
	slog.New(slog.NewJSONHandler(&logs, nil)).Info("m", "v", v)
	texts := []string{logs.String(), fmt.Sprint(v), fmt.Errorf("failed: %v", v).Error()}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d", "%p", "%T"} {
		texts = append(texts, fmt.Sprintf(verb, v))
	}
	if text, err := json.Marshal(v); err == nil {
		texts = append(texts, string(text))
	}
	return texts
}

func TestPrintingShowsNoSecret(t *testing.T) {
	scanner := scan.New(scan.WithLiveToken(liveToken), scan.WithExtendedRules())
	finding, found := scanner.Find("it is " + liveToken)
	require.True(t, found)
	kept := holder{scanner, *scanner, scan.WithLiveToken(liveToken), finding}

	for _, v := range []any{scanner, *scanner, finding, &finding, kept, &kept, []any{scanner}, map[string]any{"s": *scanner}} {
		for _, text := range printed(t, v) {
			assert.NotContains(t, text, liveToken)
			assert.NotContains(t, text, fmt.Sprintf("%x", liveToken))
			assert.NotContains(t, text, liveToken[5:25], "not even a part")
		}
	}
	assert.NotNil(t, kept.option)
	assert.NotNil(t, kept.pointer)
	assert.NotNil(t, kept.value)
	assert.Equal(t, finding, kept.finding)
}

func TestFindingString(t *testing.T) {
	finding, _ := scan.New().Find("key: " + fakeKey)
	assert.Equal(t, "openai-api-key (rule 4) at bytes 5-37", finding.String())
	assert.Equal(t, finding.String(), fmt.Sprintf("%+v", finding))
}
