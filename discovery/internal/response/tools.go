package response

import (
	"hash/fnv"
	"maps"
	"strconv"
	"strings"

	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

// tools are the uses of tools that are billed and are not in the usage object. Of queries and containers it has hashes: what a
// user searched for is not kept.
type tools struct {
	searches, files, images     int64
	queries, containers, shells set
	imageQueries                set
	maps                        bool
	// billedSearches is OpenAI's own count of searches, if counted.
	billedSearches, imageTokens int64
	counted                     bool
	// others are the uses of tools whose names are not known.
	others int64
}

type set map[uint64]struct{}

const (
	// entrySize is what an entry of a set takes in memory.
	entrySize = 40
	// maxEntries bounds a set of a single document. With one more, the Reader is full.
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

// addQuery adds a text that is not empty.
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

// size returns about how many bytes the tools take.
func (t *tools) size() int {
	return entrySize * (len(t.queries) + len(t.imageQueries) + len(t.containers) + len(t.shells))
}

// item is a part of the output: a call of a tool, perhaps.
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

// number returns a whole number of 0 or more.
func number(raw []byte) (int64, bool) {
	var d jsonread.Decoder
	d.Reset(raw)
	n, err := d.Int64()
	return n, err == nil && n >= 0
}

// add counts an item. Of the actions of a web search only the search is billed, not the pages that it opens. A code interpreter
// is billed by its container. A shell without a container runs at the caller's.
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

// merge adds what a later document of a stream has.
func (t *tools) merge(more *tools) {
	t.queries.addAll(more.queries)
	t.imageQueries.addAll(more.imageQueries)
	t.maps = t.maps || more.maps
}

// requests returns the uses by name, besides those that the usage object has.
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

func (t *tools) addOpenAI(add func(tool string, n int64)) {
	if t.counted {
		add("web_search", t.billedSearches)
	} else {
		add("web_search", t.searches)
	}
	add("unknown", t.others)
	add("file_search", t.files)
	add("code_interpreter", int64(len(t.containers)))
	add("shell", int64(len(t.shells)))
	if t.imageTokens > 0 {
		add("image_generation", max(1, t.images))
	} else {
		add("image_generation", t.images)
	}
}

// billedByPrompt reports whether grounding is billed once for each prompt: before Gemini 3.
func billedByPrompt(model string) bool {
	_, version, found := strings.Cut(model, "gemini-")
	if !found {
		return false
	}
	end := strings.IndexFunc(version, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		end = len(version)
	}
	major, err := strconv.Atoi(version[:end])
	return err == nil && major < 3
}
