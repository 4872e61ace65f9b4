package scan_test

import (
	"fmt"
	"strings"

	"github.com/mesh-gateway/mesh-go/scan"
)

// The keys in these examples are invented and put together at run time, so that no
// scanner reports this file.
var fakeKey = "sk-" + "proj-" + strings.Repeat("x", 24)

func ExampleFind() {
	message := "the deploy works again, key is " + fakeKey
	if f, found := scan.Find(message); found {
		fmt.Println(f)
		fmt.Println(f.Rule.Advice)
	}
	// Output:
	// openai-api-key (rule 4) at bytes 31-63
	// An OpenAI (or sk- style) key spends your project's credit. Revoke it on the provider's API keys page and create another.
}

func ExampleScanner_Redact() {
	fmt.Println(scan.New().Redact("key=" + fakeKey + ", region=eu"))
	// Output:
	// key=[REDACTED:openai-api-key], region=eu
}

func ExampleScanner_FindAll() {
	// 32 hexadecimal digits fit a DeepSeek key, and so an OpenAI key, too.
	message := "sk-" + strings.Repeat("0123456789abcdef", 2) + " and AKIA" + strings.Repeat("Z", 16)
	for _, f := range scan.New().FindAll(message) {
		fmt.Println(f)
	}
	// Output:
	// openai-api-key (rule 4) at bytes 0-35
	// deepseek-api-key (rule 6) at bytes 0-35
	// aws-access-key-id (rule 9) at bytes 40-60
}

func ExampleNew() {
	scanner := scan.New(
		scan.WithLiveToken("not-a-real-token-0001"), // a gateway's token
		scan.WithLiveToken("not-a-real-token-0002"), // another gateway's
		scan.WithExtendedRules(),
	)
	fmt.Println(scanner.Find("the second gateway takes not-a-real-token-0002"))
	fmt.Println(scanner.Find("hf_" + strings.Repeat("q", 34)))
	// Output:
	// live-gateway-token (rule 0) at bytes 25-46 true
	// huggingface-token (rule 109) at bytes 0-37 true
}

func ExampleRules() {
	for _, r := range scan.Rules() {
		fmt.Println(r.Number, r.Name)
	}
	// Output:
	// 0 live-gateway-token
	// 1 pypi-token
	// 2 anthropic-api-key
	// 3 openai-admin-key
	// 4 openai-api-key
	// 5 xai-api-key
	// 6 deepseek-api-key
	// 7 google-api-key
	// 8 github-token
	// 9 aws-access-key-id
	// 10 aws-secret-key
	// 11 jwt
	// 12 mesh-gateway-token
}
