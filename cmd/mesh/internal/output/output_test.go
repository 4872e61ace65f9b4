package output_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
)

func TestProgress(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		takes time.Duration
		want  string
	}{
		"an answer within a second":   {900 * time.Millisecond, ""},
		"an answer after two seconds": {2 * time.Second, "waiting for a response …\r\x1b[K"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var terminal bytes.Buffer
				p := output.Progress{W: &terminal}
				p.Start()
				p.Start()
				time.Sleep(test.takes)
				synctest.Wait()
				p.Stop()
				p.Stop()
				time.Sleep(time.Minute)
				synctest.Wait()
				assert.Equal(t, test.want, terminal.String())
			})
		})
	}
	var p output.Progress
	p.Start()
	p.Stop()
}

func TestTimes(t *testing.T) {
	t.Parallel()
	for age, want := range map[time.Duration]string{
		-time.Hour: "in the future", -time.Second: "now", 59 * time.Second: "now", 61 * time.Second: "1m ago", 90 * time.Minute: "1h ago",
		47 * time.Hour: "47h ago", 48 * time.Hour: "2d ago",
	} {
		synctest.Test(t, func(t *testing.T) { // a clock that stands at 2000-01-01
			at := time.Now().Add(-age).UTC()
			assert.Equal(t, at.Format("2006-01-02 15:04")+" UTC ("+want+")", output.Time(at.Format(time.RFC3339)))
		})
	}
	assert.Equal(t, "yesterday", output.Time("yesterday"), "a time in another format stays as it is")
}

// hostile has what a terminal may act on: an escape sequence, the same in one character, a mark of the writing direction, a
// line separator, a carriage return and a byte that is not UTF-8.
const hostile = "a\x1b[31m\u009b31m\u202e\u2028\r\xff"

func TestTextsDoNotControlTheTerminal(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "a�[31m�31m�� � b", output.Line(hostile+"\nb"))
	assert.Equal(t, "a�[31m�31m�� �\nb", output.Lines(hostile+"\nb"))
}

func TestJSONDoesNotControlTheTerminal(t *testing.T) {
	t.Parallel()
	for name, value := range map[string]any{"a text": hostile + "\x7f", "JSON of another": json.RawMessage("\"" + "\u009b\xff" + "\"")} {
		var out bytes.Buffer
		require.NoError(t, output.JSON(&out, value, ""))
		line, ends := strings.CutSuffix(out.String(), "\n")
		assert.True(t, ends)
		assert.NotContains(t, line, "\n")
		assert.True(t, utf8.ValidString(line), name)
		for _, r := range line {
			assert.False(t, unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Bidi_Control), "%s: %U", name, r)
		}
		var back string
		require.NoError(t, json.Unmarshal(out.Bytes(), &back))
		if text, ok := value.(string); ok {
			assert.Equal(t, strings.ToValidUTF8(text, "�"), back, "nothing is lost")
		}
	}
}

func TestTableAlignsColumns(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	require.NoError(t, output.Table(&out, []string{"A", "B"}, [][]string{{"long", "x\ty"}, {"é", "\x1b"}}))
	assert.Equal(t, "A     B\nlong  x y\né     �\n", out.String())
}

func TestErrorsNameNoPackage(t *testing.T) {
	t.Parallel()
	_, err := client.New("", client.WithGatewayURL("http://127.0.0.1"))
	require.ErrorContains(t, err, "mesh: node")
	assert.Equal(t, "node must not be empty", output.Error(err))
	assert.Equal(t, "line 3: node must not be empty", output.Error(fmt.Errorf("line 3: %w", err)))
}

// TestWrap checks that the lines fit, that the indent is before each but the first, and that nothing is lost.
func TestWrap(t *testing.T) {
	t.Parallel()
	const indent = "    "
	for _, text := range []string{
		"", "short", strings.Repeat("a", 200), strings.Repeat("word ", 40), strings.Repeat("漢", 100), "one\n" + strings.Repeat("é", 100) + "\nthree",
		strings.Repeat(" ", 200), "🙂" + strings.Repeat("x🙂", 50),
	} {
		for _, width := range []int{1, 20, 80} {
			wrapped := output.Wrap(text, indent, width)
			assert.Equal(t, strings.ReplaceAll(text, "\n", ""), strings.ReplaceAll(wrapped, "\n"+indent, ""), "%q", text)
			for line := range strings.SplitSeq(indent+wrapped, "\n") {
				assert.True(t, strings.HasPrefix(line, indent), "%q", line)
				if width > 6 {
					wide := len([]rune(line)) + strings.Count(line, "漢") + strings.Count(line, "🙂")
					assert.Less(t, wide, width, "%q", line)
				}
			}
		}
		assert.Equal(t, strings.ReplaceAll(text, "\n", "\n"+indent), output.Wrap(text, indent, 0), "not a terminal")
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"1234567890": "1234567890", "12345678901": "123456789…", "漢漢漢漢漢": "漢漢漢漢漢", "漢漢漢漢漢漢": "漢漢漢漢…", "": "",
	} {
		assert.Equal(t, want, output.Cut(text, 10))
		assert.Equal(t, text, output.Cut(text, 0))
	}
}
