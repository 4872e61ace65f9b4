package secret_test

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/internal/secret"
)

// text is assembled at run time, so that no scanner takes this file for a leak.
var text = strings.Join([]string{"example", "secret", "of", "the", "tests"}, "/")

// holders returns values that hold s in every possible way. Unexported fields are the
// hard case, because fmt doesn't call their methods.
func holders(s secret.Secret) map[string]any {
	type hidden struct{ s secret.Secret }
	type shown struct{ S secret.Secret }
	type hiddenPointer struct{ s *secret.Secret }
	type shownPointer struct{ S *secret.Secret }
	type embedded struct{ secret.Secret }
	type deep struct {
		H  hidden
		hp *hidden
		l  []secret.Secret
		m  map[string]hiddenPointer
		a  [1]secret.Secret
		i  any
	}
	return map[string]any{
		"value":            s,
		"pointer":          &s,
		"unexported field": hidden{s},
		"exported field":   shown{s},
		"pointer to field": &hidden{s},
		"unexported ptr":   hiddenPointer{&s},
		"exported ptr":     &shownPointer{&s},
		"embedded":         embedded{s},
		"slice":            []secret.Secret{s},
		"slice of ptr":     []*secret.Secret{&s},
		"array":            [1]secret.Secret{s},
		"map value":        map[string]secret.Secret{"k": s},
		"map key":          map[secret.Secret]int{s: 1},
		"interface":        []any{s, &s, hidden{s}},
		"deep":             deep{hidden{s}, &hidden{s}, []secret.Secret{s}, map[string]hiddenPointer{"k": {&s}}, [1]secret.Secret{s}, s},
		"pointer to deep":  &deep{H: hidden{s}, i: &hidden{s}},
	}
}

func unseen(t *testing.T, printed string, where ...any) {
	t.Helper()
	for _, form := range []string{
		text, fmt.Sprintf("%x", text), fmt.Sprintf("%X", text), fmt.Sprintf("% x", text), fmt.Sprint([]byte(text)),
		strings.Trim(fmt.Sprint([]byte(text)), "[]"), strings.ReplaceAll(text, "/", `\/`), "example/secret",
	} {
		assert.NotContains(t, printed, form, where...)
	}
}

func TestNoVerbPrintsTheText(t *testing.T) {
	t.Parallel()
	for where, value := range holders(secret.New(text)) {
		for _, verb := range []string{
			"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%t", "%p", "%T", "%c", "%U", "%e", "%+q", "%#q", "% x", "%#x", "%10.3s", "%-40v", "%!",
		} {
			unseen(t, fmt.Sprintf(verb, value), "%s of %s", verb, where)
		}
		unseen(t, fmt.Sprint(value), where)
		unseen(t, fmt.Errorf("wrapped: %v", value).Error(), where)
	}
}

func TestRedactedIsPrinted(t *testing.T) {
	t.Parallel()
	s := secret.New(text)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d", "%5.1s"} {
		assert.Equal(t, "[REDACTED]", fmt.Sprintf(verb, s), verb)
		assert.Equal(t, "[REDACTED]", fmt.Sprintf(verb, &s), verb)
	}
	assert.Equal(t, "[REDACTED]", s.String())
	assert.Equal(t, "{S:[REDACTED]}", fmt.Sprintf("%+v", struct{ S secret.Secret }{s}))
	assert.Equal(t, text, s.Reveal(), "only Reveal returns the text")
}

func TestNoEncodingContainsTheText(t *testing.T) {
	t.Parallel()
	for where, value := range holders(secret.New(text)) {
		encoded, err := json.Marshal(value)
		require.NoError(t, err, where)
		unseen(t, string(encoded), where)
	}
	encoded, err := json.Marshal(map[string]any{"s": secret.New(text), "m": map[secret.Secret]int{secret.New(text): 1}})
	require.NoError(t, err)
	assert.JSONEq(t, `{"s":"[REDACTED]","m":{"[REDACTED]":1}}`, string(encoded))

	type element struct{ S secret.Secret }
	encoded, err = xml.Marshal(element{secret.New(text)})
	require.NoError(t, err)
	unseen(t, string(encoded))
	assert.Contains(t, string(encoded), "[REDACTED]")
}

func TestNoLogContainsTheText(t *testing.T) {
	t.Parallel()
	for where, value := range holders(secret.New(text)) {
		var log bytes.Buffer
		for _, handler := range []slog.Handler{slog.NewTextHandler(&log, nil), slog.NewJSONHandler(&log, nil)} {
			slog.New(handler).Info("a message", "value", value, slog.Group("group", "value", value), "error", errors.New(fmt.Sprint(value)))
		}
		assert.Equal(t, 2, strings.Count(log.String(), "a message"), where)
		unseen(t, log.String(), where)
	}
	assert.Equal(t, "[REDACTED]", secret.New(text).LogValue().String())
}

func TestZeroSecretIsEmpty(t *testing.T) {
	t.Parallel()
	var s secret.Secret
	assert.Empty(t, s.Reveal())
	// printing must not even show whether there is a secret
	assert.Equal(t, "[REDACTED]", fmt.Sprint(s))
	assert.Empty(t, secret.New("").Reveal())
}

func TestSecretIsReadFromJSON(t *testing.T) {
	t.Parallel()
	for from, want := range map[string]string{`"a\"b\u00e9"`: `a"bé`, `""`: "", `null`: ""} {
		s := secret.New("old")
		require.NoError(t, json.Unmarshal([]byte(from), &s))
		assert.Equal(t, want, s.Reveal())
	}
	for _, from := range []string{`73317331`, `["73317331"]`, `{"73317331":1}`, `true`, `"73317331`, `"73317331\q"`, ``} {
		s := secret.New("old")
		err := s.UnmarshalJSON([]byte(from))
		require.EqualError(t, err, "mesh: a Secret must be a JSON string", "without the value: %s", from)
		assert.Equal(t, "old", s.Reveal(), "an error changes nothing")
	}
}

func TestCopiesAreIndependent(t *testing.T) {
	t.Parallel()
	original := secret.New("first")
	second := original
	require.NoError(t, json.Unmarshal([]byte(`"second"`), &second))
	assert.Equal(t, "first", original.Reveal())
	assert.Equal(t, "second", second.Reveal())
}

func TestEqualComparesTheText(t *testing.T) {
	t.Parallel()
	assert.True(t, secret.New(text).Equal(secret.New(text)))
	assert.False(t, secret.New(text).Equal(secret.New("other")))
	assert.True(t, secret.Secret{}.Equal(secret.New("")))
}

type failing struct{ text string }

func (f *failing) Errorf(format string, args ...any) { f.text += fmt.Sprintf(format, args...) }

func TestNoDifferenceShowsTheText(t *testing.T) {
	t.Parallel()
	others := holders(secret.New("other"))
	for where, value := range holders(secret.New(text)) {
		var diff failing
		assert.Equal(&diff, value, others[where])
		require.Contains(t, diff.text, "Not equal", where)
		unseen(t, diff.text, where)
	}
}

// Someone who sees a diff and knows one text must learn nothing about the other, so their
// masks must have nothing in common.
func TestMasksOfSimilarTextsDiffer(t *testing.T) {
	t.Parallel()
	type hidden struct{ s secret.Secret }
	first, second := fmt.Sprintf("%+v", hidden{secret.New(text + "1")}), fmt.Sprintf("%+v", hidden{secret.New(text + "2")})
	const masked = len("{s:{masked:")
	assert.NotEqual(t, first[masked:masked+8], second[masked:masked+8])
}

func TestGobContainsNoText(t *testing.T) {
	t.Parallel()
	type message struct {
		Name   string
		Secret secret.Secret
		Others []secret.Secret
	}
	var encoded bytes.Buffer
	sent := message{"n", secret.New(text), []secret.Secret{secret.New(text)}}
	require.NoError(t, gob.NewEncoder(&encoded).Encode(sent))
	unseen(t, encoded.String())
	received := message{Secret: secret.New("old")}
	require.NoError(t, gob.NewDecoder(&encoded).Decode(&received))
	assert.Equal(t, message{"n", secret.Secret{}, []secret.Secret{{}}}, received)
}

func TestSecretsAreComparable(t *testing.T) {
	t.Parallel()
	assert.Equal(t, secret.Secret{}, secret.New(""))
	first, same := secret.New(text), secret.New(text)
	assert.True(t, first == same) //nolint:testifylint // the operator is tested
	assert.Len(t, map[secret.Secret]int{first: 1, same: 2, secret.New(text + "."): 3, {}: 4}, 3)
}

func TestDeepEqualComparesTheText(t *testing.T) {
	t.Parallel()
	for _, same := range []string{text, "", "é\x00", strings.Repeat(text, 1000)} {
		first, second := secret.New(same), secret.New(same)
		assert.Equal(t, first, second)
		assert.Equal(t, same, first.Reveal())
	}
	assert.NotEqual(t, secret.New(text), secret.New(text+" "))
}
