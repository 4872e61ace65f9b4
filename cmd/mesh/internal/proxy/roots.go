package proxy

import (
	_ "embed"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
)

//go:embed roots.txt
var rootVariables string

// nodeRoots is the variable with roots that Node adds to its own; the others replace the system's.
const nodeRoots = "NODE_EXTRA_CA_CERTS"

// systemRoots are the files with the system's roots, of Debian, Fedora, openSUSE, older Red Hat, Alpine and macOS.
var systemRoots = []string{
	"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem", "/etc/pki/tls/cacert.pem",
	"/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/cert.pem",
}

// WriteFiles writes the files of a run to a folder and returns the variables that name them. With --intercept these are files with
// roots: what a variable of env named before, else the system's, and the certificate of the authority, whose key is in none.
func (p *Proxy) WriteFiles(folder string, env []string) ([]string, error) {
	options, err := p.writePreload(folder, env)
	if err != nil {
		return nil, err
	}
	variables := []string{"NODE_OPTIONS=" + options}
	if p.authority == nil {
		return variables, nil
	}
	for line := range strings.Lines(rootVariables) {
		line, onlySet := strings.CutPrefix(line, "? ")
		names := strings.Fields(line)
		if names[0] == "#" || (onlySet && valueOf(env, names[0]) == "") {
			continue
		}
		source := rootsOf(env, names)
		if source == "" && names[0] != nodeRoots {
			continue // a program with the authority alone would trust no other host
		}
		roots, err := readRoots(source)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", names[0], exit.WithoutPath(err))
		}
		name := filepath.Join(folder, names[0]+".pem")
		if err := writeFile(name, append(roots, p.authority.pem()...)); err != nil {
			return nil, err
		}
		variables = append(variables, names[0]+"="+name)
	}
	return variables, nil
}

// rootsOf returns the file or folder that the first of the variables names, else that of the system, or "" if it has none besides its own.
func rootsOf(env, names []string) string {
	for _, variable := range names {
		if value := valueOf(env, variable); value != "" {
			return value
		}
	}
	for _, file := range systemRoots {
		if info, err := os.Stat(file); names[0] != nodeRoots && err == nil && info.Mode().IsRegular() {
			return file
		}
	}
	return ""
}

// readRoots returns the certificates of a file, or of the files of a folder that can be read; none for "".
func readRoots(source string) (roots []byte, err error) {
	switch info, err := os.Stat(source); {
	case source == "":
		return nil, nil
	case err != nil || !info.IsDir():
		return certificates(source)
	}
	files, _ := filepath.Glob(filepath.Join(source, "*"))
	for _, file := range files {
		more, _ := certificates(file)
		roots = append(roots, more...)
	}
	return roots, nil
}

// certificates returns the certificates of a file. Keys beside them are left out.
func certificates(file string) (roots []byte, err error) {
	text, err := os.ReadFile(file) //nolint:gosec // a variable of the user names it
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if strings.HasSuffix(block.Type, "CERTIFICATE") {
			roots = append(roots, pem.EncodeToMemory(block)...)
		}
	}
	return roots, err
}

// writeFile creates a file that only the user can read.
func writeFile(name string, text []byte) error {
	const mode = 0o600
	return exit.WithoutPath(os.WriteFile(name, text, mode))
}
