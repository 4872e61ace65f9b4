package scan

import "strings"

// later knows where a word stands last in the content. Rules 10 and 12 ask for such a word behind their match. It is
// looked up when a rule first asks, and once: looking anew for every candidate is how a scan becomes quadratic.
type later struct {
	asked bool
	last  int // -1: nowhere
}

// startsFrom tells whether word starts at byte i or after it.
func (l *later) startsFrom(i int, content, word string) bool {
	return i <= l.lastStart(content, word)
}

// lastStart is the place where word stands last, -1 when it is nowhere.
func (l *later) lastStart(content, word string) int {
	if !l.asked {
		l.asked, l.last = true, -1
		// LastIndex alone would do, and takes several times as long to say no, which is the usual answer.
		if strings.Contains(content, word) {
			l.last = strings.LastIndex(content, word)
		}
	}
	return l.last
}

const awsSecretLength = 40

// awsSecrets reports rule 10 in a run: 40 base64 characters with "aws" at or after their end.
func (s *sweep) awsSecrets(lo, hi int) {
	if !s.wants(awsSecret, lo) || s.aws.asked && s.aws.last < lo+awsSecretLength {
		return
	}
	for lo < hi {
		end := endOf(base64, s.content, lo, hi)
		s.awsSecretsIn(lo, end)
		lo = end + 1
	}
}

// awsSecretsIn looks at one stretch of base64 characters. The stretch holds characters of both sorts, so a boundary may
// lie anywhere in it: before a letter that follows a slash, and before a slash that follows a letter.
func (s *sweep) awsSecretsIn(lo, hi int) {
	for i := lo; i+awsSecretLength <= hi; i++ {
		if !s.boundary(i) || !s.wants(awsSecret, i) {
			continue
		}
		if !s.aws.startsFrom(i+awsSecretLength, s.content, "aws") {
			return
		}
		s.report(awsSecret, i, i+awsSecretLength)
	}
}

const (
	meshTokenLength = 48
	meshTokenWord   = "MESH_GATEWAY_TOKEN"
)

// meshTokenIn reports rule 12 in the stretch [lo, hi) of U: 48 or more, with the variable's name at or after their end.
// All candidates of a stretch reach for the same end, so the first boundary decides for all.
func (s *sweep) meshTokenIn(lo, hi int) {
	for lo < hi && !s.boundary(lo) {
		lo++
	}
	if hi-lo < meshTokenLength || !s.wants(meshToken, lo) {
		return
	}
	// The name may stand inside this very stretch. Then the match ends where its last occurrence starts.
	end := min(hi, s.mesh.lastStart(s.content, meshTokenWord))
	if end-lo >= meshTokenLength {
		s.report(meshToken, lo, end)
	}
}
