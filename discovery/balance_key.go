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
	// maxEnvFile bounds the size of the file.
	maxEnvFile = 1 << 20
)

// deepSeekKey returns the key for the balance: that of the argument, else of the environment, else of the file.
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

// envFileKey returns the key in a file of NAME=value lines. Its errors show neither the content nor the path: if the two
// variables are mixed up, the path is the key.
func envFileKey(path string) (secret.Secret, error) {
	text, err := readEnvFile(path)
	if err != nil {
		return secret.Secret{}, err
	}
	key := ""
	for line := range strings.Lines(strings.TrimPrefix(text, "\uFEFF")) {
		if value, ok := envValue(strings.TrimSpace(line)); ok {
			key = value // the last one wins, as in a shell
		}
	}
	if key == "" {
		return secret.Secret{}, fmt.Errorf("does not set %s", deepSeekKeyName)
	}
	return secret.New(key), nil
}

func readEnvFile(path string) (string, error) {
	info, err := os.Stat(path) //nolint:gosec // the environment names the file; it is checked first, since opening a pipe would wait for a writer
	if err != nil {
		return "", withoutPath(err)
	}
	if !info.Mode().IsRegular() {
		return "", errors.New("is not a regular file")
	}
	file, err := os.Open(path) //nolint:gosec // the environment names the file
	if err != nil {
		return "", withoutPath(err)
	}
	defer func() { _ = file.Close() }()
	text, err := io.ReadAll(io.LimitReader(file, maxEnvFile+1))
	if len(text) > maxEnvFile { // a truncated file could end within the key
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

// envValue parses a line as shells and dotenv tools write it: with export, blanks around the sign, a value in quotes, or a
// comment.
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

// withoutComment cuts text at the first # that follows a blank.
func withoutComment(text string) string {
	for _, start := range []string{" #", "\t#"} {
		text, _, _ = strings.Cut(text, start)
	}
	return strings.TrimSpace(text)
}
