package discovery

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/mesh-gateway/mesh-go/internal/secret"
)

const (
	deepSeekKeyName  = "DEEPSEEK_API_KEY"
	deepSeekFileName = "DEEPSEEK_LEGACY_ENV_PATH"
	// longestEnvFile bounds what is read of a file: the variable may name something endless by mistake.
	longestEnvFile = 1 << 20
)

// deepSeekKey returns the key for the balance: the argument, the environment, the file (SPEC.md, Authentication).
func (c *Client) deepSeekKey(ctx context.Context, argument string) (secret.Secret, error) {
	key, err := c.key(ctx, ServiceDeepSeek, argument)
	if err == nil || !errors.Is(err, errNoKey) || c.keys[ServiceDeepSeek] != nil {
		return key, err
	}
	path := strings.TrimSpace(os.Getenv(deepSeekFileName))
	if path == "" {
		return secret.Secret{}, fmt.Errorf("no key is given, and neither %s nor %s is set", deepSeekKeyName, deepSeekFileName)
	}
	key, err = envFileKey(path)
	if err != nil {
		return secret.Secret{}, fmt.Errorf("the file that %s names: %w", deepSeekFileName, err)
	}
	return key, nil
}

// envFileKey looks the key up in a file of NAME=value lines. Its errors show nothing of the file, and not its path
// either: whoever mixes up the two variables has put the key there.
func envFileKey(path string) (secret.Secret, error) {
	text, err := readEnvFile(path)
	if err != nil {
		return secret.Secret{}, err
	}
	key := ""
	for line := range strings.Lines(strings.TrimPrefix(text, "\uFEFF")) {
		if value, ok := envValue(strings.TrimSpace(line)); ok {
			key = value // the last one counts, as in a shell
		}
	}
	if key == "" {
		return secret.Secret{}, errors.New("it has no key under that name")
	}
	return secret.New(key), nil
}

func readEnvFile(path string) (string, error) {
	info, err := os.Stat(path) //nolint:gosec // whoever sets the environment names the file; first: opening a pipe would wait for a writer
	if err != nil {
		return "", withoutPath(err)
	}
	if !info.Mode().IsRegular() {
		return "", errors.New("is no regular file")
	}
	file, err := os.Open(path) //nolint:gosec // naming a file is what the variable is for
	if err != nil {
		return "", withoutPath(err)
	}
	defer func() { _ = file.Close() }()
	text, err := io.ReadAll(io.LimitReader(file, longestEnvFile+1))
	if len(text) > longestEnvFile { // what is cut off could be half of the key
		return "", errors.New("is too long")
	}
	return string(text), withoutPath(err)
}

func withoutPath(err error) error {
	var e *fs.PathError
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}

// envValue reads one line, as shells and the tools around them write it: export in front, blanks around the sign, the
// value in quotes of either kind or up to a comment.
func envValue(line string) (string, bool) {
	if rest, ok := strings.CutPrefix(line, "export"); ok && strings.TrimLeft(rest, blanks) != rest {
		line = strings.TrimLeft(rest, blanks)
	}
	left, value, ok := strings.Cut(line, "=")
	if !ok || strings.TrimSpace(left) != deepSeekKeyName {
		return "", false
	}
	value = strings.TrimSpace(value)
	for _, quote := range []string{`"`, `'`} {
		if rest, quoted := strings.CutPrefix(value, quote); quoted {
			inner, after, closed := strings.Cut(rest, quote)
			return strings.TrimSpace(inner), closed && withoutComment(" "+after) == ""
		}
	}
	return withoutComment(" " + value), true
}

const blanks = " \t"

// withoutComment cuts text at the first # that stands behind a blank.
func withoutComment(text string) string {
	for _, start := range []string{" #", "\t#"} {
		text, _, _ = strings.Cut(text, start)
	}
	return strings.TrimSpace(text)
}
