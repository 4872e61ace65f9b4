package meter

import (
	"os"
	"path/filepath"

	"github.com/mesh-gateway/mesh-go/scan"
)

// projectLabel is the label of the project in the records of mesh meter.
const projectLabel = "project"

// addProject adds the label of the project that the working directory belongs to, unless labels have one.
func addProject(labels map[string]string) {
	if _, given := labels[projectLabel]; given {
		return
	}
	folder, err := os.Getwd()
	if err != nil { // it was removed
		return
	}
	if name := project(folder); name != "" {
		labels[projectLabel] = name
	}
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
