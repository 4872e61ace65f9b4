package meter

import (
	"net/http"
	"regexp"
	"strconv"
)

// maxAttempt bounds what a header may state: no SDK repeats a request as often.
const maxAttempt = 1000

// attemptOfAWS matches the attempt in the header of the SDKs of AWS: "ttl=20261123T010203Z; attempt=2; max=3".
var attemptOfAWS = regexp.MustCompile(`(?:^|;)\s*attempt=([0-9]+)\s*(?:;|$)`)

// attempt returns which try of the same request it is, as the headers of an SDK state it, or 0. The SDKs of OpenAI and Anthropic
// count retries, those of AWS count attempts.
func attempt(header http.Header) int {
	text, first := header.Get("X-Stainless-Retry-Count"), 1
	if m := attemptOfAWS.FindStringSubmatch(header.Get("Amz-Sdk-Request")); text == "" && m != nil {
		text, first = m[1], 0
	}
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil || n > maxAttempt {
		return 0
	}
	return int(n) + first
}
