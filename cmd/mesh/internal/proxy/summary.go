package proxy

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math/big"
	"net/http"
	"slices"
	"strconv"
	"sync"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
)

// Summary adds up calls by model.
type Summary struct {
	mu     sync.Mutex
	models map[model]*sum
	// unpriced and failed count calls by why they have no known cost, or cost nothing.
	unpriced, failed map[reason]int
}

type model struct {
	provider discovery.Provider
	name     string
}

type reason struct {
	model
	text string
}

type sum struct {
	calls, unpriced int
	input, output   int64
	usd             *big.Rat
}

// NewSummary returns an empty Summary.
func NewSummary() *Summary {
	return &Summary{models: map[model]*sum{}, unpriced: map[reason]int{}, failed: map[reason]int{}}
}

// Record adds a call.
func (s *Summary) Record(r meter.Record) {
	key := model{r.Provider, r.Model}
	s.mu.Lock()
	defer s.mu.Unlock()
	total := s.models[key]
	if total == nil {
		total = &sum{usd: new(big.Rat)}
		s.models[key] = total
	}
	total.calls++
	if u, err := discovery.ParseUsage(r.Provider, r.Usage); err == nil {
		total.input += u.Input + u.ToolInput + u.CacheRead + u.CacheWrite5m + u.CacheWrite1h + u.AudioInput + u.AudioCacheRead + u.ImageInput + u.ImageCacheRead
		total.output += u.Output + u.AudioOutput + u.ImageOutput
	}
	if r.Status >= http.StatusBadRequest {
		s.failed[reason{key, fmt.Sprintf("the answer was status %d", r.Status)}]++
	}
	if usd, ok := new(big.Rat).SetString(r.USD); ok {
		total.usd.Add(total.usd, usd)
		return
	}
	total.unpriced++
	s.unpriced[reason{key, r.Unpriced}]++
}

// Write writes the table, with usd as the sum of the known costs.
func (s *Summary) Write(w io.Writer, usd string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.models) == 0 {
		_, err := fmt.Fprintln(w, "mesh: meter: no calls were counted; those to OPENAI_BASE_URL, ANTHROPIC_BASE_URL and GOOGLE_GEMINI_BASE_URL are")
		return err
	}
	if err := output.Table(w, []string{"MODEL", "CALLS", "INPUT", "OUTPUT", "USD", "UNPRICED"}, s.rows(usd)); err != nil {
		return err
	}
	writeReasons(w, "unpriced", s.unpriced)
	writeReasons(w, "failed", s.failed)
	return nil
}

func writeReasons(w io.Writer, what string, calls map[reason]int) {
	for _, r := range slices.SortedFunc(maps.Keys(calls), compareReasons) {
		fmt.Fprintf(w, "%s: %d of %s: %s\n", what, calls[r], output.Line(named(r.model)), output.Line(r.text))
	}
}

func (s *Summary) rows(usd string) [][]string {
	keys := slices.SortedFunc(maps.Keys(s.models), compareModels)
	rows := make([][]string, 0, len(keys)+1)
	var all sum
	for _, key := range keys {
		m := s.models[key]
		rows = append(rows, row(named(key), m, decimal(m.usd)))
		all.calls, all.unpriced, all.input, all.output = all.calls+m.calls, all.unpriced+m.unpriced, all.input+m.input, all.output+m.output
	}
	return append(rows, row("total", &all, usd))
}

func row(name string, s *sum, usd string) []string {
	return []string{
		name, strconv.Itoa(s.calls), strconv.FormatInt(s.input, 10), strconv.FormatInt(s.output, 10), usd, strconv.Itoa(s.unpriced),
	}
}

// decimal returns an amount as a plain decimal.
func decimal(usd *big.Rat) string {
	places, _ := usd.FloatPrec()
	return usd.FloatString(places)
}

func named(m model) string {
	if m.name == "" {
		return string(m.provider) + "/?"
	}
	return string(m.provider) + "/" + m.name
}

func compareModels(a, b model) int {
	return cmp.Or(cmp.Compare(a.provider, b.provider), cmp.Compare(a.name, b.name))
}

func compareReasons(a, b reason) int {
	return cmp.Or(compareModels(a.model, b.model), cmp.Compare(a.text, b.text))
}
