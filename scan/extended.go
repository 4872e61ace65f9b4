package scan

// WithExtendedRules adds our own rules behind the twelve: the credentials that WIRE.md §12 lists as missed. They are off
// by default, because what a send refuses is agreed between nodes. A rule starts at a word boundary like the twelve,
// but for the last. U is A-Z a-z 0-9 _ and -.
//
//	101  github-user-token          ghu_ or ghr_, then 30 or more letters or digits, as rule 8 has it (row GitHub: 36)
//	102  github-fine-grained-token  github_pat_, then 36 or more letters, digits or _ (row GitHub: 36 to 255, today 82)
//	103  github-app-token           ghs_ and 15 or more U, then the rest of a JWT as in rule 11, to its end
//	104  aws-other-key-id           ASIA, ABIA or ACCA, then 16 upper-case letters or digits, as rule 9 has it (row AWS id)
//	105  google-auth-key            AQ. and 40 or more U (missed: 53 characters in all; a few fewer still count)
//	106  google-client-secret       GOCSPX- and 20 or more U (missed; the source gives no length: 20 as in rules 1 to 4)
//	107  google-access-token        ya29. and 20 or more U or dots, the last not a dot (missed; no length: as above)
//	108  groq-api-key               gsk_ and 30 or more letters or digits (missed; no length: as in rule 8)
//	109  huggingface-token          hf_ and 30 or more letters or digits (missed; no length: as in rule 8)
//	110  slack-token                xox, one of a b c d e o p r s, a hyphen, and 20 or more U (no row; 20 as in rules 1 to 4)
//	111  pem-private-key            a PEM private key from its first line to its last, anywhere
//
// A PEM key whose last line is missing matches when 40 or more base64 characters follow the first line, and ends where
// base64, white space and backslashes (for "\n" in JSON) do.
func WithExtendedRules() Option {
	return func(c *config) { c.extended = true }
}

// extendedKeys are the extended rules that start with a fixed text.
var extendedKeys = keyTable{
	'g': {
		{rule: githubUser, prefix: "ghu_", of: alnum, min: 30},
		{rule: githubUser, prefix: "ghr_", of: alnum, min: 30},
		{rule: githubFineGrained, prefix: "github_pat_", of: word, min: 36},
		{rule: githubApp, prefix: "ghs_", of: u, min: jwtPart, jwt: true},
		{rule: groq, prefix: "gsk_", of: alnum, min: 30},
	},
	'A': {
		{rule: awsOtherKeyID, prefix: "ASIA", of: upper, min: 16, max: 16},
		{rule: awsOtherKeyID, prefix: "ABIA", of: upper, min: 16, max: 16},
		{rule: awsOtherKeyID, prefix: "ACCA", of: upper, min: 16, max: 16},
		{rule: googleAuth, prefix: "AQ.", of: u, min: 40},
	},
	'G': {{rule: googleClientSecret, prefix: "GOCSPX-", of: u, min: 20}},
	'y': {{rule: googleAccess, prefix: "ya29.", of: dotted, min: 20}},
	'h': {{rule: huggingFace, prefix: "hf_", of: alnum, min: 30}},
	'x': {
		{rule: slack, prefix: "xoxa-", of: u, min: 20}, {rule: slack, prefix: "xoxb-", of: u, min: 20},
		{rule: slack, prefix: "xoxc-", of: u, min: 20}, {rule: slack, prefix: "xoxd-", of: u, min: 20},
		{rule: slack, prefix: "xoxe-", of: u, min: 20}, {rule: slack, prefix: "xoxo-", of: u, min: 20},
		{rule: slack, prefix: "xoxp-", of: u, min: 20}, {rule: slack, prefix: "xoxr-", of: u, min: 20},
		{rule: slack, prefix: "xoxs-", of: u, min: 20},
	},
}
