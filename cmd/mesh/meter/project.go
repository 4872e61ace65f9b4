package meter

import (
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/scan"
)

// callLabels returns the labels of the calls: those of the message under mesh serve, the project, and those of --label.
func (o *Options) callLabels() (map[string]string, error) {
	labels := map[string]string{}
	for name, variable := range map[string]string{"message": "MESH_MESSAGE_ID", "from": "MESH_FROM", "thread_id": "MESH_THREAD_ID", "thread": "MESH_THREAD"} {
		labels[name] = os.Getenv(variable)
	}
	if folder, err := os.Getwd(); err == nil && !o.noProject && o.listen == "" { // an error: it was removed
		labels["project"] = project(folder)
	}
	maps.DeleteFunc(labels, func(_, value string) bool { return value == "" })
	for _, flag := range o.labels {
		name, value, ok := strings.Cut(flag, "=")
		if !ok || name == "" {
			return nil, exit.Usagef("--label must be NAME=VALUE")
		}
		if f, found := scan.Find(flag); found {
			return nil, exit.Usagef("--label %s contains a credential, which would be in each record: %s. %s", name, f, f.Rule.Advice)
		}
		labels[name] = value
	}
	return labels, nil
}

// project returns the name of the git work tree that a folder is in, else of the folder: only the last element of its path. It is ""
// for a root, and for a name with a credential, which would be in each record.
func project(folder string) string {
	if physical, err := filepath.EvalSymlinks(folder); err == nil { // as git sees it
		folder = physical
	}
	tree := folder
	for at := folder; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, ".git")); err == nil { // a folder, or a file in a linked work tree
			tree = at
			break
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	name := filepath.Base(tree)
	if _, secret := scan.Find(name); secret || tree == filepath.Dir(tree) {
		return ""
	}
	return name
}
