package sessions_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
)

// Compare with BenchmarkSum: a byte in session files may take at most 1.5 times the
// processor time it takes in calls files. The sessions are testdata with new ids. Their
// texts have one character, so real sessions are cheaper.
func BenchmarkSumOfSessions(b *testing.B) {
	for _, file := range []string{
		"claude/projects/-home-u-app/d572515c-7bf8-4bde-bcbf-c7efc399d7f4.jsonl",
		"codex/sessions/2025/10/05/rollout-2025-10-05T08-00-00-0199aaaa-0000-7000-8000-000000000001.jsonl",
		"codex/sessions/2026/11/23/rollout-2026-11-23T11-13-28-01a2081c-66d8-7222-8d9e-1de177bbb185.jsonl",
		"gemini/tmp/app/chats/session-2026-11-23T11-13-8d02e335.jsonl",
	} {
		content, err := os.ReadFile(filepath.Join("testdata/home", file))
		require.NoError(b, err)
		if content[len(content)-1] != '\n' {
			content = content[:bytes.LastIndexByte(content, '\n')+1]
		}
		program, _, _ := bytes.Cut([]byte(file), []byte{'/'})
		b.Run(string(program)+file[len(file)-10:len(file)-6], func(b *testing.B) {
			b.StopTimer()
			path := filepath.Join(b.TempDir(), filepath.Base(file))
			out, err := os.Create(path)
			require.NoError(b, err)
			for i := range 5000 {
				id := fmt.Sprintf("%06d", i)
				text := bytes.ReplaceAll(content, []byte("_01Ab000"), []byte("_"+id))
				text = bytes.ReplaceAll(text, []byte("resp_0a0"), []byte("resp_"+id))
				text = bytes.ReplaceAll(text, []byte(`"id":"`), []byte(`"id":"`+id))
				_, err = out.Write(text)
				require.NoError(b, err)
			}
			benchmarkSum(b, path)
		})
	}
}

func benchmarkSum(b *testing.B, path string) {
	b.Helper()
	info, err := os.Stat(path)
	require.NoError(b, err)
	b.SetBytes(info.Size())
	b.StartTimer()
	for b.Loop() {
		_, err := calls.Sum(plain([]string{"day", "model"}, []string{"label:project"}), path)
		require.NoError(b, err)
	}
}
