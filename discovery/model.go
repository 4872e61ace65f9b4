package discovery

import "slices"

// SourceCatalog is the Source of models that the primary catalog lists. Models of the fallback have the name of their
// provider there.
const SourceCatalog = "catalog"

// ModelInfo is what is known of one model (SPEC.md, ModelInfo). nil means not known; 0 and "" never stand for a value.
// There are no prices in it.
type ModelInfo struct {
	// ID is the id under which the source lists the model.
	ID string `json:"id"`
	// Developer is who made it, in the spelling of the source, as in Open AI; "" where the source does not say.
	Developer string `json:"developer"`
	// ContextLength is how many tokens of context it takes.
	ContextLength *int64 `json:"context_length"`
	// MaxTokens is how many tokens an answer can have.
	MaxTokens *int64 `json:"max_tokens"`
	// Name is a display name. It is neither unique nor always right.
	Name *string `json:"name"`
	// Description is a sentence or two.
	Description *string `json:"description"`
	// Type says how the model is called, as in openai/chat-completions; an open list. Of a model that is listed once per
	// type it is the first.
	Type *string `json:"type"`
	// Aliases are other ids of the model, never nil.
	Aliases []string `json:"aliases"`
	// Tags are labels of the source, never nil.
	Tags []string `json:"tags"`
	// Source is [SourceCatalog] or the provider that listed the model.
	Source string `json:"source"`
}

// merge adds what another row of the same id knows: the same model is listed once per type (WIRE.md section 1).
func (m *ModelInfo) merge(other ModelInfo) {
	m.ContextLength = firstKnown(m.ContextLength, other.ContextLength)
	m.MaxTokens = firstKnown(m.MaxTokens, other.MaxTokens)
	m.Name = firstKnown(m.Name, other.Name)
	m.Description = firstKnown(m.Description, other.Description)
	m.Type = firstKnown(m.Type, other.Type)
	m.Aliases = union(m.Aliases, other.Aliases)
	m.Tags = union(m.Tags, other.Tags)
}

func firstKnown[T any](a, b *T) *T {
	if a != nil {
		return a
	}
	return b
}

func union(a, b []string) []string {
	for _, s := range b {
		if !slices.Contains(a, s) {
			a = append(a, s)
		}
	}
	return a
}

// known returns a pointer to v, or nil when v is zero, which the sources write for what they do not know.
func known[T comparable](v *T) *T {
	var zero T
	if v == nil || *v == zero {
		return nil
	}
	return v
}

// entry is a ModelInfo together with all that it points to. A copy of an entry is one allocation and one move; only lists
// longer than the room cost one more.
type entry struct {
	info                 ModelInfo
	context, tokens      int64
	name, about, variety string
	aliases, tags        [2]string
}

// newEntry packs m, whose parts it keeps no reference to but the strings.
func newEntry(m ModelInfo) entry {
	e := entry{info: m}
	fill(&e.context, m.ContextLength)
	fill(&e.tokens, m.MaxTokens)
	fill(&e.name, m.Name)
	fill(&e.about, m.Description)
	fill(&e.variety, m.Type)
	copy(e.aliases[:], m.Aliases)
	copy(e.tags[:], m.Tags)
	return e
}

func fill[T any](room *T, v *T) {
	if v != nil {
		*room = *v
	}
}

// clone returns a copy that shares nothing with e: callers may write into it, and the cache stays what it was.
func (e *entry) clone() *ModelInfo {
	c := *e
	point(&c.info.ContextLength, &c.context)
	point(&c.info.MaxTokens, &c.tokens)
	point(&c.info.Name, &c.name)
	point(&c.info.Description, &c.about)
	point(&c.info.Type, &c.variety)
	c.info.Aliases = listIn(&c.aliases, c.info.Aliases)
	c.info.Tags = listIn(&c.tags, c.info.Tags)
	return &c.info
}

// point turns a pointer to the same thing elsewhere into one to room; nil stays nil.
func point[T any](p **T, room *T) {
	if *p != nil {
		*p = room
	}
}

// listIn returns a list with the elements of list, in room if it holds them all.
func listIn(room *[2]string, list []string) []string {
	if len(list) <= len(room) {
		return room[:len(list)]
	}
	return slices.Clone(list)
}
