package main

import (
	_ "embed" // for names.csv
	"regexp"
	"strings"
	"sync"
)

//go:embed names.csv
var namesCSV string

// names maps a feed, a provider and an id to the id of the table; "" for what is no model of it.
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
	// notText matches the ids of models that text tokens do not bill alone, although feeds list prices of text for them.
	notText = regexp.MustCompile(`image|audio|tts|realtime|live|embedding|transcri|whisper|dall-e|sora|imagen|veo|omni|lyria|robotics|computer-use|container|moderation|imagine|video`)
	// dashed matches ids of OpenAI with a dash for the point, as in gpt-5-1-codex.
	dashed = regexp.MustCompile(`^gpt-(\d)-(\d)(-|$)`)
	// build matches what an id of a build has after the id of its model.
	build = regexp.MustCompile(`^-(\d{8}|\d{4}-\d{2}-\d{2}|\d{4}|latest)$`)
	// plainID matches what an id can be, so that none breaks the table.
	plainID = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{0,99}$`)
)

// modelName returns the id of the table for one of a feed; "" when the table has no such models.
func modelName(feed, provider, id string) string {
	if model, ok := names()[[3]string{feed, provider, id}]; ok {
		return model
	}
	if provider == "openai" {
		id = dashed.ReplaceAllString(id, "gpt-$1.$2$3")
	}
	// Google's own list has Claude too, at the prices of Vertex.
	if !plainID.MatchString(id) || (provider == "gemini" && strings.HasPrefix(id, "claude")) {
		return ""
	}
	return id
}

// addable reports whether a model may be added: one for text, and no alias whose model changes.
func addable(model string) bool {
	return !notText.MatchString(model) && !strings.HasSuffix(model, "-latest")
}
