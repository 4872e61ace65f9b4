package discovery

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"
)

// A file starts with a header line: the format, its version, and a digest that detects
// damage to the rest.
const (
	fileFormat  = "mesh-go-catalog"
	fileVersion = "1" // changes if releases would misread each other's files
)

// catalogFile is the JSON after the header line.
type catalogFile struct {
	// URLDigest identifies the catalog, because an ETag means nothing to another server.
	// It's a digest, because the URL may contain a key.
	URLDigest string    `json:"url_sha256"`
	ETag      string    `json:"etag"`
	ReadAt    time.Time `json:"read_at"`
	// Unreadable counts skipped rows, so that an incomplete catalog doesn't look complete
	// after loading.
	Unreadable int         `json:"unreadable_rows"`
	Models     []ModelInfo `json:"models"`
}

// SaveCatalog writes the catalog with its ETag and age. A short-lived program can load it
// in its next run with [Client.LoadCatalog], instead of requesting it again.
//
// # What is saved
//
// It writes the last good response from the primary catalog, whatever its age and despite
// [Client.InvalidateCatalog], but never a substitute. The file contains no key. The same
// catalog always gives the same bytes, in one Write.
//
// To replace a file atomically, write a temporary file and rename it. LoadCatalog rejects
// truncated files.
//
// # Errors
//
// If there is no good response, SaveCatalog writes nothing and returns a [*ValueError].
// If writer fails, it returns that error, wrapped.
func (c *Client) SaveCatalog(writer io.Writer) error {
	if err := cmp.Or(c.ready(context.Background()), notNil("writer", writer != nil)); err != nil {
		return err
	}
	good := c.catalog.lastGood.Load()
	if good == nil {
		return invalid("Client", "", "has no catalog from the primary source to save")
	}
	text, err := good.file(c.catalogURLDigest())
	switch {
	case err != nil:
		return fmt.Errorf("discovery: SaveCatalog: %w", err)
	case int64(len(text)) > c.maxBytes:
		return invalid("Client", "", fmt.Sprintf("has a catalog whose file is longer than %d bytes", c.maxBytes))
	}
	if _, err := io.Copy(writer, bytes.NewReader(text)); err != nil {
		return fmt.Errorf("discovery: SaveCatalog: %w", err)
	}
	return nil
}

func (s *snapshot) file(urlDigest string) ([]byte, error) {
	content, err := json.Marshal(catalogFile{
		URLDigest: urlDigest, ETag: s.etag, ReadAt: s.readAt.UTC(), Unreadable: s.unreadable, Models: s.models,
	})
	if err != nil {
		return nil, err
	}
	content = append(content, '\n')
	return append(fmt.Appendf(nil, "%s %s %s\n", fileFormat, fileVersion, digest(content)), content...), nil
}

func digest(content []byte) string { return fmt.Sprintf("%x", sha256.Sum256(content)) }

// LoadCatalog reads a catalog written by [Client.SaveCatalog]. It sends nothing. The
// catalog keeps its age and ETag, and replaces the client's own only if it's newer. It
// also serves as the last good catalog in an outage. If rows were unreadable when it was
// requested, that [Failure] is reported again.
//
// LoadCatalog returns a [*ValueError] if the file
//
//   - is damaged, truncated or not a catalog
//   - has another format version
//   - belongs to another catalog URL
//   - has a time in the future
//   - is larger than [WithMaxResponseBytes]
//
// If reader fails, it returns that error, wrapped. No error quotes the file, and after an
// error the client is unchanged.
func (c *Client) LoadCatalog(reader io.Reader) error {
	if err := cmp.Or(c.ready(context.Background()), notNil("reader", reader != nil)); err != nil {
		return err
	}
	text, err := io.ReadAll(io.LimitReader(reader, c.maxBytes+1))
	switch {
	case err != nil:
		return fmt.Errorf("discovery: LoadCatalog: %w", err)
	case int64(len(text)) > c.maxBytes:
		return invalid("reader", "", fmt.Sprintf("is longer than %d bytes", c.maxBytes))
	}
	s, err := parseCatalogFile(text, c.catalogURLDigest())
	if err != nil {
		return invalid("reader", "", err.Error())
	}
	c.adopt(s)
	return nil
}

// adopt makes s the current and the last good catalog, unless the client's is newer.
func (c *Client) adopt(s *snapshot) {
	missing := catalogRequest.failure(ReasonPartial, 0, fmt.Errorf("%d rows could not be read when the catalog was requested", s.unreadable))
	if s.unreadable > 0 {
		s.failures = []*Failure{missing}
	}
	for {
		good := c.catalog.lastGood.Load()
		if good != nil && !s.readAt.After(good.readAt) {
			return
		}
		if c.catalog.lastGood.CompareAndSwap(good, s) {
			break
		}
	}
	c.catalog.current.Put(s, s.readAt)
	if s.unreadable > 0 {
		_ = c.report(context.Background(), missing.of("LoadCatalog")) // lists and lookups return the error
	}
}

// parseCatalogFile never quotes the file in errors.
func parseCatalogFile(text []byte, urlDigest string) (*snapshot, error) {
	content, err := contentOf(text)
	if err != nil {
		return nil, err
	}
	var f catalogFile
	if err := json.Unmarshal(content, &f); err != nil || !f.valid() {
		return nil, errors.New("does not contain a valid catalog")
	}
	switch {
	case f.URLDigest != urlDigest:
		return nil, errors.New("belongs to another catalog URL")
	case f.ReadAt.After(time.Now()): // the catalog would never become too old
		return nil, errors.New("has a time in the future")
	}
	s := newSnapshot(f.Models)
	s.primary, s.etag, s.readAt, s.unreadable = true, f.ETag, f.ReadAt, f.Unreadable
	return s, nil
}

func contentOf(file []byte) ([]byte, error) {
	head, content, _ := bytes.Cut(file, []byte("\n"))
	words := strings.SplitN(string(head), " ", 3)
	switch {
	case len(words) != 3 || words[0] != fileFormat:
		return nil, errors.New("is not from SaveCatalog")
	case words[1] != fileVersion:
		return nil, errors.New("has a format version other than " + fileVersion)
	case words[2] != digest(content):
		return nil, errors.New("is damaged")
	}
	return content, nil
}

// valid reports whether SaveCatalog can have written f. The ETag is sent in a header, so
// it must not contain control characters.
func (f *catalogFile) valid() bool {
	control := func(b rune) bool { return b < ' ' && b != '\t' || b == 0x7f }
	return len(f.Models) > 0 && f.Unreadable >= 0 && !f.ReadAt.IsZero() &&
		!slices.ContainsFunc([]rune(f.ETag), control) && !slices.ContainsFunc(f.Models, invalidModel)
}

func invalidModel(m ModelInfo) bool {
	empty := func(text *string) bool { return text != nil && *text == "" }
	return m.ID == "" || m.Source != SourceCatalog ||
		m.ContextLength != nil && *m.ContextLength <= 0 || m.MaxTokens != nil && *m.MaxTokens <= 0 ||
		empty(m.Name) || empty(m.Description) || empty(m.Type)
}

// catalogURLDigest hashes the catalog's base URL without user info and query.
func (c *Client) catalogURLDigest() string {
	u, err := url.Parse(cmp.Or(c.catalogURL, defaultCatalogURL))
	if err != nil {
		return "" // no catalog can come from there
	}
	return digest([]byte((&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()))
}
