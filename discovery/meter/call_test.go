package meter_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
)

func TestAStatusOfAnErrorCostsNothing(t *testing.T) {
	t.Parallel()
	url, m, records := metered(t, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, chatAnswer, http.StatusTooManyRequests) })
	status, _ := postAll(t, m, url+"/v1/chat/completions", chat)
	assert.Equal(t, http.StatusTooManyRequests, status)
	require.Len(t, records.all(), 1)
	r := records.all()[0]
	assert.EqualValues(t, "0", r.USD)
	assert.Equal(t, http.StatusTooManyRequests, r.Status)
	assert.True(t, r.Incomplete)
	assert.Equal(t, "gpt-4o", r.Model)
	assert.Equal(t, meter.Spent{USD: "0", AtLeastUSD: "0", Calls: 1}, m.Spent())
}

func TestATranscriptionNamesNoModel(t *testing.T) {
	t.Parallel()
	for text, reason := range map[string]string{
		`{"text":"Hi","usage":{"type":"duration","seconds":4}}`:                                        "the call is billed by duration",
		`{"text":"Hi","usage":{"type":"tokens","input_tokens":9,"output_tokens":1,"total_tokens":10}}`: "neither the body of the request nor the response names the model",
	} {
		url, m, records := metered(t, answer(text))
		postAll(t, m, url+"/v1/audio/transcriptions", "--form")
		require.Len(t, records.all(), 1)
		r := records.all()[0]
		assert.Equal(t, []string{"", "", reason}, []string{r.Model, string(r.USD), r.Unpriced})
		assert.False(t, r.Incomplete)
	}
}

func TestARecorderThatPanicsDoesNotBreakTheResponse(t *testing.T) {
	t.Parallel()
	url, m, records := metered(t, answer(chatAnswer), meter.WithRecorder(func(calls.Record) { panic("full") }))
	_, text := postAll(t, m, url+"/v1/chat/completions", chat)
	assert.Equal(t, chatAnswer, text)
	assert.Len(t, records.all(), 1)
}
