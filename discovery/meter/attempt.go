package meter

import (
	"net/http"
	"strconv"
	"strings"
)

// maxAttempt bounds what a header may state: no SDK repeats a request as often.
const maxAttempt = 1000

// attempt returns which try of the same request it is, as the headers of an SDK state it, or 0. The SDKs of OpenAI and Anthropic
// count retries, those of AWS count attempts: "ttl=20261123T010203Z; attempt=2; max=3".
func attempt(header http.Header) int {
	if retries := header.Get("X-Stainless-Retry-Count"); retries != "" {
		return count(retries, 1)
	}
	for part := range strings.SplitSeq(header.Get("Amz-Sdk-Request"), ";") {
		if n, ok := strings.CutPrefix(strings.TrimSpace(part), "attempt="); ok {
			return count(n, 0)
		}
	}
	return 0
}

// count returns a number and more, or 0 for a text that is no attempt.
func count(text string, more int) int {
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil || n > maxAttempt {
		return 0
	}
	return int(n) + more
}
