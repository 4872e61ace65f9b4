package sessions_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/sessions"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
)

func TestProgramsThatAreNotRead(t *testing.T) {
	t.Parallel()
	home := writeFiles(t, map[string]string{
		".cursor/chats/1/store.db": "", ".local/share/amp/threads/T-1.json": "{}", "app/.aider.chat.history.md": "",
		"Code/User/globalStorage/saoudrizwan.claude-dev/tasks/1/ui_messages.json": "[]", "other/amp/x.txt": "", "notes/.cursorrules": "",
	})
	for path, program := range map[string]string{
		".cursor": "Cursor", ".cursor/chats/1/store.db": "Cursor", ".local/share/amp": "Amp", ".local/share/amp/threads": "Amp",
		"app": "Aider", "Code/User/globalStorage": "Cline", "Code/User/globalStorage/saoudrizwan.claude-dev/tasks": "Cline",
		"other/amp": "", "notes": "", "nowhere": "", ".local": "",
	} {
		path = filepath.Join(home, filepath.FromSlash(path))
		err := sessions.Unsupported(path)
		if program == "" {
			require.NoError(t, err, path)
			continue
		}
		require.EqualError(t, err, path+": the sessions of "+program+" are not read")
		require.ErrorIs(t, err, calls.ErrUnsupported)
	}
}

func TestWhatIsSaidAboutSessions(t *testing.T) {
	t.Parallel()
	dir := writeFiles(t, map[string]string{"usual/a.jsonl": codexFile(`"id":"p"`, 100) + "broken\nbroken\n", "usual/b.jsonl": codexFile(`"id":"q"`, 100) + "{"})
	require.NoError(t, os.Symlink(filepath.Join(dir, "nowhere"), filepath.Join(dir, "usual", "gone.jsonl")))
	for _, strict := range []bool{false, true} {
		var said sessions.Said
		r := sessions.New(nil)
		said.Listen(r, strict, []string{filepath.Join(dir, "usual")})
		var opts calls.Options
		r.Read(&opts)
		opts.By = [][]string{nil}
		_, err := calls.Sum(opts, dir)
		err = said.Rest(err)
		if strict {
			require.ErrorContains(t, err, "a.jsonl:3")
			assert.Empty(t, said.Short())
			continue
		}
		require.NoError(t, err)
		var told []string
		note := func(text string) { told = append(told, text) }
		same := func(err error) error { return err }
		said.Tell(false, same, note)
		assert.Equal(t, []string{"3 lines of 2 files and 1 file or directory cannot be read (--explain)"}, told)
		told = nil
		said.Tell(true, same, note)
		assert.Len(t, told, 4)
		assert.Equal(t, "3 lines of 2 files and 1 file or directory cannot be read (mesh usage --explain)", said.Short())
		var whole sessions.Said
		whole.Listen(sessions.New(nil), false, []string{dir})
		require.NoError(t, whole.Rest(errors.Join(&fs.PathError{Op: "open", Path: filepath.Join(dir, "x"), Err: fs.ErrPermission})))
		assert.Equal(t, "1 file or directory cannot be read (mesh usage --explain)", whole.Short())
		said.Notes = []string{"a", "b", "c", "d", "e"}
		assert.Equal(t, "5 notes about sessions, 3 lines of 2 files and 1 file or directory cannot be read (mesh usage --explain)", said.Short())
		told = nil
		said.Tell(false, same, note)
		assert.Equal(t, []string{"5 notes about sessions, 3 lines of 2 files and 1 file or directory cannot be read (--explain)"}, told)
	}
}
