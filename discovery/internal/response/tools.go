package response

import (
	"hash/fnv"
	"maps"

	"github.com/mesh-gateway/mesh-go/discovery/internal/usage"
	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

// tools are billed uses that the usage object lacks. Queries and containers are hashed:
// what a user searched for isn't kept.
type tools struct {
	searches, files, images     int64
	queries, containers, shells set
	imageQueries                set
	maps                        bool
	// billedSearches is OpenAI's own count, if counted is set.
	billedSearches, imageTokens int64
	counted                     bool
	// others counts uses of unknown tools.
	others int64
}

type set map[uint64]struct{}

const (
	// memory per set entry
	entrySize = 40
	// maxEntries bounds a set in one document. With one more, the Reader is full.
	maxEntries = MaxState / entrySize
)

func (s *set) add(value string) {
	if *s == nil {
		*s = make(set)
	}
	if len(*s) > maxEntries {
		return
	}
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(value))
	(*s)[hash.Sum64()] = struct{}{}
}

func (s *set) addQuery(raw []byte) {
	if query := text(raw); query != "" {
		s.add(query)
	}
}

func (s *set) addAll(more set) {
	if *s == nil {
		*s = more
		return
	}
	maps.Copy(*s, more)
}

// size is an estimate in bytes.
func (t *tools) size() int {
	return entrySize * (len(t.queries) + len(t.imageQueries) + len(t.containers) + len(t.shells))
}

// item is an output item, such as a tool call.
type item struct {
	kind, action, container string
	queries                 set
}

func (i *item) set(f Field, raw []byte) {
	switch f {
	case ItemType:
		i.kind = text(raw)
	case ItemAction:
		i.action = text(raw)
	case ItemContainer:
		i.container = text(raw)
	default:
		i.queries.addQuery(raw)
	}
}

func (t *tools) set(f Field, raw []byte) {
	switch f {
	case Query:
		t.queries.addQuery(raw)
	case ImageQuery:
		t.imageQueries.addQuery(raw)
	case OtherUses:
		n, _ := number(raw)
		t.others += n
	case Maps:
		t.maps = t.maps || given(raw)
	case Searches:
		t.billedSearches, t.counted = number(raw)
	default:
		t.imageTokens, _ = number(raw)
	}
}

func number(raw []byte) (int64, bool) {
	var d jsonread.Decoder
	d.Reset(raw)
	n, err := usage.Int(&d)
	return n, err == nil && n >= 0
}

// add counts an item. Web search bills only searches, not opened pages. A code
// interpreter is billed by its container. A shell call without a container ran on the
// caller's own machine.
func (t *tools) add(i *item) {
	switch i.kind {
	case "web_search_call":
		if i.action == "" || i.action == "search" {
			t.searches++
		}
	case "file_search_call":
		t.files++
	case "image_generation_call":
		t.images++
	case "code_interpreter_call":
		t.containers.add(i.container)
	case "shell_call":
		if i.container != "" {
			t.shells.add(i.container)
		}
	case "google_search_call":
		t.queries.addAll(i.queries)
	case "google_maps_call":
		t.maps = true
	}
}

func (t *tools) merge(more *tools) {
	t.queries.addAll(more.queries)
	t.imageQueries.addAll(more.imageQueries)
	t.maps = t.maps || more.maps
}

// requests returns the uses by name. Counts in the usage object take precedence.
func (t *tools) requests(provider, model string, used map[string]int64) map[string]int64 {
	all := maps.Clone(used)
	add := func(tool string, n int64) {
		if n > 0 && all[tool] == 0 {
			if all == nil {
				all = make(map[string]int64)
			}
			all[tool] = n
		}
	}
	switch provider {
	case "openai", "deepseek":
		t.addOpenAI(add)
	case "gemini":
		add("grounding", int64(len(t.queries)))
		add("image_search", int64(len(t.imageQueries)))
		if t.maps {
			add("maps", 1)
		}
		if all["grounding"] > 1 && billedByPrompt(model) {
			all["grounding"] = 1
		}
	}
	return all
}
