package scan

// WithExtendedRules adds rules for further credentials after the twelve standard rules. They are off by default, so that all
// nodes of a mesh reject the same messages. Except for the last rule, a match starts at a word boundary. U stands for A-Z a-z
// 0-9 _ and -. Where a provider does not document a length, it is the length of similar standard rules.
//
//	101  github-user-token          ghu_ or ghr_ and 30 or more letters or digits
//	102  github-fine-grained-token  github_pat_ and 36 or more letters, digits or _
//	103  github-app-token           ghs_ and 15 or more U, followed by the rest of a JWT as in rule 11
//	104  aws-other-key-id           ASIA, ABIA or ACCA and 16 upper-case letters or digits
//	105  google-auth-key            AQ. and 40 or more U
//	106  google-client-secret       GOCSPX- and 20 or more U
//	107  google-access-token        ya29. and 20 or more U or dots, the last not a dot
//	108  groq-api-key               gsk_ and 30 or more letters or digits
//	109  huggingface-token          hf_ and 30 or more letters or digits
//	110  slack-token                xox, one of a b c d e o p r s, a hyphen, and 20 or more U
//	111  pem-private-key            a PEM private key from its first line to its last, at any position
//
// A PEM key without its last line matches if 40 or more base64 characters follow the first line. The match ends at the first
// byte that is neither base64 nor white space nor a backslash (of "\n" in JSON).
func WithExtendedRules() Option {
	return func(c *config) { c.extended = true }
}

// extendedKeys are the extended rules.
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
