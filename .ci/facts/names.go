package main

import (
	_ "embed" // for names.csv
	"regexp"
	"strings"
	"sync"
)

//go:embed names.csv
var namesCSV string

// names maps feed, provider and id to a table id. It's "" if the table has no such
// model.
var names = sync.OnceValue(func() map[[3]string]string {
	ids := make(map[[3]string]string)
	for line := range strings.Lines(namesCSV) {
		if row := strings.Split(strings.TrimSpace(line), ","); len(row) == 4 {
			ids[[3]string(row)] = row[3]
		}
	}
	return ids
})

var (
	// notText matches models that aren't billed by text tokens alone, although feeds list
	// text prices for them.
	notText = regexp.MustCompile(`image|audio|tts|realtime|live|embedding|transcri|whisper|dall-e|sora|imagen|veo|omni|lyria|robotics|computer-use|container|moderation|imagine|video`)
	// dashed matches OpenAI ids with a dash for the point, as in gpt-5-1-codex.
	dashed = regexp.MustCompile(`^gpt-(\d)-(\d)(-|$)`)
	// build matches a build's suffix after the model id.
	build = regexp.MustCompile(`^-(\d{8}|\d{4}-\d{2}-\d{2}|\d{4}|latest)$`)
	// plainID excludes ids that could break the table.
	plainID = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{0,99}$`)
)

// modelName returns the table id, or "" if the table doesn't have such models.
func modelName(feed, provider, id string) string {
	if model, ok := names()[[3]string{feed, provider, id}]; ok {
		return model
	}
	if provider == "openai" {
		id = dashed.ReplaceAllString(id, "gpt-$1.$2$3")
	}
	// Google's own list includes Claude, at Vertex prices.
	if !plainID.MatchString(id) || (provider == "gemini" && strings.HasPrefix(id, "claude")) {
		return ""
	}
	return id
}

// addable excludes models that aren't for text, and aliases that can move to another
// model.
func addable(model string) bool {
	return !notText.MatchString(model) && !strings.HasSuffix(model, "-latest")
}
