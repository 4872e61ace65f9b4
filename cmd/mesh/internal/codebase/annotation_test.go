package codebase

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAnnotationIsOneCommand checks that the name of a file begins no other workflow command, and sets no property.
func TestAnnotationIsOneCommand(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	require.NoError(t, writeAnnotations(&out, []Annotation{{"a,line=9\r\n::set-output x:y%0A", 3, 0, "t:,\n", "replace: a,b\n::warning::x%"}}))
	assert.Equal(t, "::error file=a%2Cline=9%0D%0A%3A%3Aset-output x%3Ay%250A,line=3,title=t%3A%2C%0A::replace: a,b%0A::warning::x%25\n", out.String())
	assert.Equal(t, 1, strings.Count(out.String(), "\n"))
	out.Reset()
	require.NoError(t, writeAnnotations(&out, []Annotation{{"a\x1b]0;t\a\u009b31m\x9b.go", 3, 7, "t\x1b", "x\x1b[2J\u202e"}}))
	assert.Equal(t, "::error file=a\uFFFD]0;t\uFFFD\uFFFD31m\uFFFD.go,line=3,col=7,title=t\uFFFD::x\uFFFD[2J\uFFFD\n", out.String())
}
