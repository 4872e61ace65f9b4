package discovery_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// manyModels returns a catalog with n rows in the source's form, about 1.3 KB each.
func manyModels(n int) string {
	rows := make([]string, n)
	for i := range rows {
		rows[i] = fmt.Sprintf(`{"id":"openai/model-%d","info":{"releasedAt":"2025-08-07","name":"Model %d","developer":"Open AI",
			"description":%q,"contextLength":128000,"outputMax":16384,"cutoffAt":"2023-10-01","url":"https://aimlapi.com/models/model-%d",
			"docsUrl":"https://docs.aimlapi.com/api-references/text-models-llm/openai/model-%d"},"type":"openai/chat-completions",
			"aliases":["model-%d"],"tags":["playground:chat","tier:tier_2"],"modalities":{"input":["image","text"],"output":["text"]},
			"capabilities":["file_input","parallel_tool_calls","streaming","structured_output","tools","vision"],
			"pricing":{"kind":"fixed","currency":"USD","units":[{"type":"charge","name":"token","content":"text","measure":"output",
			"origin":"provided","phase":"inference","author":"user","price":3.25,"per":1000000}]}}`,
			i, i, strings.Repeat("A model that does this and that. ", 10), i, i, i)
	}
	return `{"object":"list","data":[` + strings.Join(rows, ",") + `]}`
}

func warm(b *testing.B, n int) *discovery.Client {
	b.Helper()
	c := catalogServer(manyModels(n)).inProcess()
	if ok, err := c.IsModelSupported(context.Background(), "model-1", discovery.CatalogOptions{}); !ok || err != nil {
		b.Fatal(ok, err)
	}
	return c
}

// BenchmarkWarmLookup looks up one model in a cached catalog, from all processors at
// once. impl=baseline searches a list, like a caller without an index.
func BenchmarkWarmLookup(b *testing.B) {
	for _, n := range []int{1_000, 10_000} {
		c := warm(b, n)
		b.Run(fmt.Sprintf("models=%d/impl=mesh", n), func(b *testing.B) {
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					_, _ = c.IsModelSupported(context.Background(), "model-500", discovery.CatalogOptions{})
				}
			})
		})
		models, err := c.ListModels(context.Background(), discovery.CatalogOptions{})
		if err != nil || len(models) != n {
			b.Fatal(len(models), err)
		}
		b.Run(fmt.Sprintf("models=%d/impl=baseline", n), func(b *testing.B) {
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if !isListed(models, "model-500") {
						b.Error("not found")
					}
				}
			})
		})
	}
}

func isListed(models []discovery.ModelInfo, id string) bool {
	return slices.ContainsFunc(models, func(m discovery.ModelInfo) bool { return m.ID == id || slices.Contains(m.Aliases, id) })
}

// plainCatalog is for a hand-written client.
type plainCatalog struct {
	Data []struct {
		ID   string `json:"id"`
		Info struct {
			Name          string `json:"name"`
			Developer     string `json:"developer"`
			Description   string `json:"description"`
			ContextLength int64  `json:"contextLength"`
			OutputMax     int64  `json:"outputMax"`
		} `json:"info"`
		Type    string   `json:"type"`
		Aliases []string `json:"aliases"`
		Tags    []string `json:"tags"`
	} `json:"data"`
}

// BenchmarkReadCatalog reads 1,000 models. impl=mesh fetches them in process, decodes row
// by row, merges and indexes; impl=baseline only decodes into plain structs with
// encoding/json. held-B is the memory that the result keeps.
func BenchmarkReadCatalog(b *testing.B) {
	body := manyModels(1_000)
	b.Run("impl=mesh", func(b *testing.B) {
		c := serving(body)
		b.SetBytes(int64(len(body)))
		b.ReportAllocs()
		for b.Loop() {
			if ok, err := c.IsModelSupported(context.Background(), "model-1", discovery.CatalogOptions{Refresh: true}); !ok || err != nil {
				b.Fatal(ok, err)
			}
		}
		b.ReportMetric(held(func() any {
			c := serving(body)
			_, err := c.IsModelSupported(context.Background(), "model-1", discovery.CatalogOptions{})
			return []any{c, err}
		}), "held-B")
	})
	b.Run("impl=baseline", func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		b.ReportAllocs()
		for b.Loop() {
			var list plainCatalog
			if err := json.Unmarshal([]byte(body), &list); err != nil || len(list.Data) != 1_000 {
				b.Fatal(err)
			}
		}
		b.ReportMetric(held(func() any {
			list := new(plainCatalog)
			return []any{list, json.Unmarshal([]byte(body), list)}
		}), "held-B")
	})
}

// BenchmarkLoadCatalog loads a file with 1,000 models, checks its digest and builds the
// index. impl=baseline fetches, decodes and indexes the same models in process. Both take
// about the same time: the file only saves the network.
func BenchmarkLoadCatalog(b *testing.B) {
	s := catalogServer(manyModels(1_000))
	file := savedCatalog(b, s)
	b.Run("impl=mesh", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := s.inProcess().LoadCatalog(bytes.NewReader(file)); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("impl=baseline", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if models := list(b, s.inProcess(), discovery.CatalogOptions{}); len(models) != 1_000 {
				b.Fatal(len(models))
			}
		}
	})
}

// serving returns a client whose requests are all answered with body, without a network
// or copying body.
func serving(body string) *discovery.Client {
	var server fakeServer
	answer := roundTripper(func(req *http.Request) (*http.Response, error) {
		return &http.Response{
			StatusCode: http.StatusOK, ProtoMajor: 1, ProtoMinor: 1, Request: req, Header: http.Header{},
			Body: io.NopCloser(strings.NewReader(body)), ContentLength: -1, // as for a compressed body
		}, nil
	})
	return server.clientAt("http://test.invalid", discovery.WithHTTPClient(&http.Client{Transport: answer}))
}

// held returns how much heap a result of read holds, in bytes, on average.
func held(read func() any) float64 {
	results := make([]any, 8)
	before := heap()
	for i := range results {
		results[i] = read()
	}
	after := heap()
	runtime.KeepAlive(results)
	return (float64(after) - float64(before)) / float64(len(results))
}

func heap() uint64 {
	runtime.GC()
	runtime.GC() // empties the pools, too
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}
