package scan

import (
	"fmt"
)

// Rule describes a kind of credential.
type Rule struct {
	// Number is 0 for live gateway tokens, 1 to 12 for standard rules, and above 100 for
	// extended rules.
	Number int
	// Name is short and never changes, such as "openai-api-key". Use it in logs and
	// metrics.
	Name string
	// Advice tells in one or two sentences what the credential grants and what to do now.
	Advice string
}

// Heuristic reports whether the rule is 10 or 12. They match any 40 or 48 suitable
// characters before a certain word, so they often match harmless text.
func (r Rule) Heuristic() bool { return r.Number == awsSecret || r.Number == meshToken }

// Indexes in table, in the order in which Find tries the rules. Up to meshToken, the
// index equals the rule's number.
const (
	liveToken = iota
	pypi
	anthropic
	openaiAdmin
	openai
	xai
	deepseek
	google
	github
	awsKeyID
	awsSecret
	jwt
	meshToken
	githubUser // the first extended rule
	githubFineGrained
	githubApp
	awsOtherKeyID
	googleAuth
	googleClientSecret
	googleAccess
	groq
	huggingFace
	slack
	pemKey
	ruleCount
)

var table = [ruleCount]Rule{
	liveToken: {0, "live-gateway-token",
		"This is the mesh gateway token in use: anyone who reads it can act as this node. Rotate it on the gateway and set the new MESH_GATEWAY_TOKEN."},
	pypi: {1, "pypi-token",
		"A package index token can publish releases under your name. Revoke it in the account settings of pypi.org or test.pypi.org."},
	anthropic: {2, "anthropic-api-key",
		"An Anthropic key spends your organization's credit. Delete it in the Anthropic Console under API keys and create another."},
	openaiAdmin: {3, "openai-admin-key",
		"An OpenAI admin key has org-level privilege: it manages members, projects, keys and costs. Revoke it at once under organization settings, Admin keys, and read the audit log."},
	openai: {4, "openai-api-key",
		"An OpenAI (or sk- style) key spends your project's credit. Revoke it on the provider's API keys page and create another."},
	xai: {5, "xai-api-key",
		"An xAI key spends your team's credit. Revoke it in the xAI console under API keys and create another."},
	deepseek: {6, "deepseek-api-key",
		"A DeepSeek key spends your prepaid balance. Delete it on the DeepSeek platform under API keys and create another."},
	google: {7, "google-api-key",
		"A Google API key is billed to your cloud project. Delete or rotate it in Google Cloud under APIs & Services, Credentials, and restrict the new one."},
	github: {8, "github-token",
		"A GitHub token reads and writes what its owner may. Revoke it in GitHub settings under Developer settings or Applications."},
	awsKeyID: {9, "aws-access-key-id",
		"An AWS access key id names a long-lived key pair. Deactivate the pair in IAM and create another; look for its secret nearby."},
	awsSecret: {10, "aws-secret-key",
		"This looks like an AWS secret access key, which signs requests as its owner. If it is one, deactivate the key pair in IAM."},
	jwt: {11, "jwt",
		"A JSON web token is a login until it expires. End the session or revoke the token at its issuer."},
	meshToken: {12, "mesh-gateway-token",
		"This looks like a mesh gateway token next to its variable name. If it is one, rotate it on the gateway."},
	githubUser: {101, "github-user-token",
		"A GitHub user-to-server or refresh token acts for the user who authorized the app. Revoke it under settings, Applications."},
	githubFineGrained: {102, "github-fine-grained-token",
		"A GitHub fine-grained token reads and writes the repositories it was given. Revoke it under Developer settings, Fine-grained tokens."},
	githubApp: {103, "github-app-token",
		"A GitHub App installation token reaches every repository of the installation for an hour. Revoke it through the API, and rotate the app's key if that leaked too."},
	awsOtherKeyID: {104, "aws-other-key-id",
		"An AWS temporary, bearer or context key id names live credentials. Revoke the role's sessions, or delete the service credential, in IAM."},
	googleAuth: {105, "google-auth-key",
		"A Google auth key is billed to your project as an API key is. Delete it in AI Studio or Google Cloud and create another."},
	googleClientSecret: {106, "google-client-secret",
		"A Google OAuth client secret lets others pose as your application. Reset it in Google Cloud under Credentials."},
	googleAccess: {107, "google-access-token",
		"A Google access token acts for its user or service account for about an hour. Revoke the grant, and find out what issued it."},
	groq: {108, "groq-api-key",
		"A Groq key spends your account's credit. Delete it in the Groq console under API keys and create another."},
	huggingFace: {109, "huggingface-token",
		"A Hugging Face token reads, and may write, your models and data sets. Invalidate it under settings, Access Tokens."},
	slack: {110, "slack-token",
		"A Slack token reads and posts as its bot or user. Revoke it on the app's page, OAuth & Permissions, or through auth.revoke."},
	pemKey: {111, "pem-private-key",
		"A private key proves an identity: TLS, SSH, a service account or a signature. Make a new pair and withdraw the old one wherever it is trusted."},
}

// ExtendedRules returns the rules that [WithExtendedRules] adds, in order. The caller may
// modify the slice.
func ExtendedRules() []Rule {
	return append([]Rule(nil), table[githubUser:]...)
}

// Rules returns the rules that every scan applies: the live token as number 0, then the
// twelve standard rules, so Rules()[n].Number is n. The caller may modify the slice. For
// extended rules, see [WithExtendedRules].
//
// In this table, U stands for A-Z a-z 0-9 _ and -.
//
//	 0  live-gateway-token  a token in use, at any position
//	 1  pypi-token          pypi- and 20 or more U
//	 2  anthropic-api-key   sk-ant- and 20 or more U
//	 3  openai-admin-key    sk-admin- and 20 or more U
//	 4  openai-api-key      sk- and 20 or more U, unless it starts with sk-admin-
//	 5  xai-api-key         xai- and 40 or more U
//	 6  deepseek-api-key    sk- and 32 lower-case hex digits, followed by a word boundary
//	 7  google-api-key      AIza and 35 U
//	 8  github-token        gho_, ghp_ or ghs_ and 30 or more letters or digits
//	 9  aws-access-key-id   AKIA and 16 upper-case letters or digits
//	10  aws-secret-key      40 letters, digits, / + or =, with aws anywhere after them
//	11  jwt                 eyJ and 15 or more U, a dot, the same again, a dot, and 15 or more U
//	12  mesh-gateway-token  48 or more U, with MESH_GATEWAY_TOKEN after the first 48
func Rules() []Rule {
	return append([]Rule(nil), table[:githubUser]...)
}

type class uint8

const (
	word   class = 1 << iota // A-Z a-z 0-9 _ : word characters, as for \b
	alnum                    // A-Z a-z 0-9
	upper                    // A-Z 0-9
	hex                      // a-f 0-9 : the digits of rule 6
	u                        // A-Z a-z 0-9 _ - : U in the documented tables
	base64                   // A-Z a-z 0-9 / + = : rule 10
	dotted                   // u and the full stop
)

// classes maps bytes to classes. Bytes from 0x80 on have no class, so no match contains
// them.
var classes = func() (all [256]class) {
	const lower, capitals, digits = "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789"
	add := func(c class, members string) {
		for i := range len(members) {
			all[members[i]] |= c
		}
	}
	add(word|alnum|u|base64|dotted, lower+capitals+digits)
	add(upper, capitals+digits)
	add(hex, "abcdef"+digits)
	add(word|u|dotted, "_")
	add(u|dotted, "-")
	add(dotted, ".")
	add(base64, "/+=")
	return all
}()

// endOf returns the position of the first byte in content[i:limit] outside class c, or
// limit.
func endOf(c class, content string, i, limit int) int {
	for i < limit && classes[content[i]]&c != 0 {
		i++
	}
	return i
}

// lastNot returns the position of the last byte in content[lo:hi] outside class c, or -1.
func lastNot(c class, content string, lo, hi int) int {
	for i := hi - 1; i >= lo; i-- {
		if classes[content[i]]&c == 0 {
			return i
		}
	}
	return -1
}

// WithExtendedRules adds rules for more credentials after the twelve standard rules. They
// are off by default, so that all nodes in a mesh reject the same messages. Matches start
// at a word boundary, except for the last rule. If a provider doesn't document a length,
// the rule uses the length in similar standard rules.
//
// In this table, U stands for A-Z a-z 0-9 _ and -.
//
//	101  github-user-token          ghu_ or ghr_ and 30 or more letters or digits
//	102  github-fine-grained-token  github_pat_ and 36 or more letters, digits or _
//	103  github-app-token           ghs_ and 15 or more U, then the rest of a JWT (rule 11)
//	104  aws-other-key-id           ASIA, ABIA or ACCA and 16 upper-case letters or digits
//	105  google-auth-key            AQ. and 40 or more U
//	106  google-client-secret       GOCSPX- and 20 or more U
//	107  google-access-token        ya29. and 20 or more U or dots, the last not a dot
//	108  groq-api-key               gsk_ and 30 or more letters or digits
//	109  huggingface-token          hf_ and 30 or more letters or digits
//	110  slack-token                xox, one letter from abcdeoprs, - and 20 or more U
//	111  pem-private-key            a PEM private key, first to last line, at any position
//
// A PEM key without its last line matches if another line has at least 40 base64
// characters. The match ends at the first byte that isn't base64, white space or a
// backslash ("\n" in JSON).
func WithExtendedRules() Option {
	return func(c *config) { c.extended = true }
}

var extendedKeys = []key{
	{rule: githubUser, prefix: "gh", letters: "ur", behind: "_", of: alnum, min: 30},
	{rule: githubFineGrained, prefix: "github_pat_", of: word, min: 36},
	{rule: githubApp, prefix: "ghs_", of: u, min: jwtPart, jwt: true},
	{rule: awsOtherKeyID, prefix: "ASIA", of: upper, min: 16, max: 16},
	{rule: awsOtherKeyID, prefix: "ABIA", of: upper, min: 16, max: 16},
	{rule: awsOtherKeyID, prefix: "ACCA", of: upper, min: 16, max: 16},
	{rule: googleAuth, prefix: "AQ.", of: u, min: 40},
	{rule: googleClientSecret, prefix: "GOCSPX-", of: u, min: 20},
	{rule: googleAccess, prefix: "ya29.", of: dotted, min: 20},
	{rule: groq, prefix: "gsk_", of: alnum, min: 30},
	{rule: huggingFace, prefix: "hf_", of: alnum, min: 30},
	{rule: slack, prefix: "xox", letters: "abcdeoprs", behind: "-", of: u, min: 20},
	{rule: pemKey, prefix: pemBegin, anywhere: true},
}

// Finding is a match: content[Start:End] is the credential, in bytes. A Finding doesn't
// contain the text, so it may be printed, logged and stored.
type Finding struct {
	Rule       Rule
	Start, End int
}

// Trigger returns the word that a heuristic rule requires after the match: "aws" for rule
// 10, "MESH_GATEWAY_TOKEN" for rule 12. For other rules it returns "".
func (f Finding) Trigger() string {
	if !f.Rule.Heuristic() {
		return ""
	}
	return keys[f.Rule.Number-1].word
}

// String returns the rule and position, as in "openai-api-key (rule 4) at bytes 12-47".
// End is exclusive.
func (f Finding) String() string {
	return fmt.Sprintf("%s (rule %d) at bytes %d-%d", f.Rule.Name, f.Rule.Number, f.Start, f.End)
}
