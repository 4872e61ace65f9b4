package endpoints_test

import (
	"encoding/csv"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A word that is not known would make a free endpoint one that is counted.
func TestTableIsWellFormed(t *testing.T) {
	t.Parallel()
	file, err := os.Open("endpoints.csv")
	require.NoError(t, err)
	defer func() { assert.NoError(t, file.Close()) }()
	r := csv.NewReader(file)
	r.Comment = '#'
	rows, err := r.ReadAll()
	require.NoError(t, err)
	assert.Equal(t, []string{"path", "provider", "form", "api", "reason"}, rows[0])
	seen := map[string]bool{}
	for _, row := range rows[1:] {
		assert.NotEmpty(t, row[0])
		assert.False(t, seen[row[0]+row[1]], "%s is listed twice", row[0])
		seen[row[0]+row[1]] = true
		assert.Contains(t, []string{"", "openai", "deepseek", "anthropic", "gemini", "xai", "openrouter", "bedrock"}, row[1], row[0])
		assert.Contains(t, []string{"", "openai", "anthropic", "gemini", "converse", "invoke", "cohere", "ollama"}, row[2], row[0])
		assert.Contains(t, []string{"", "free", "stored"}, row[3], row[0])
		assert.True(t, row[3] == "" || row[4] == "", "%s is free and has a reason", row[0])
	}
}
