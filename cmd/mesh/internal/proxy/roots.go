package proxy

import (
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
)

// rootVariables are the variables that name the roots of programs, and those from which a program reads them if its own one is not set.
var rootVariables = []struct {
	name  string
	other []string
	unset bool // left alone unless it is set
}{
	{name: "SSL_CERT_FILE"}, // OpenSSL, Go, Python's ssl, Ruby
	{name: "CURL_CA_BUNDLE", other: []string{"SSL_CERT_FILE"}},                      // with SSL_CERT_DIR set, curl rejects SSL_CERT_FILE
	{name: "REQUESTS_CA_BUNDLE", other: []string{"CURL_CA_BUNDLE"}},                 // Python's requests
	{name: "AWS_CA_BUNDLE", other: []string{"REQUESTS_CA_BUNDLE", "SSL_CERT_FILE"}}, // botocore reads the first, the SDK for Go the second
	{name: "GIT_SSL_CAINFO"},
	{name: "DENO_CERT"},
	{name: "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH"},
	{name: "CARGO_HTTP_CAINFO", unset: true},
	{name: "CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE", unset: true},
	{name: "CODEX_CA_CERTIFICATE", unset: true},
	{name: "HTTPLIB2_CA_CERTS", unset: true},
	{name: "NIX_SSL_CERT_FILE", unset: true},
	{name: "PIP_CERT", unset: true},
	{name: nodeRoots}, // adds roots; the others replace the system's
}

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
	for _, v := range rootVariables {
		source := rootsOf(env, v.name, v.other)
		if (v.unset && valueOf(env, v.name) == "") || (source == "" && v.name != nodeRoots) {
			continue // a program with the authority alone would trust no other host
		}
		roots, err := readRoots(source)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", v.name, exit.WithoutPath(err))
		}
		name := filepath.Join(folder, v.name+".pem")
		if err := writeFile(name, append(roots, p.authority.pem()...)); err != nil {
			return nil, err
		}
		variables = append(variables, v.name+"="+name)
	}
	return variables, nil
}

// rootsOf returns the file or folder that a program reads its roots from, or "" if it has none besides its own.
func rootsOf(env []string, name string, other []string) string {
	for _, variable := range append([]string{name}, other...) {
		if value := valueOf(env, variable); value != "" {
			return value
		}
	}
	for _, file := range systemRoots {
		if info, err := os.Stat(file); name != nodeRoots && err == nil && info.Mode().IsRegular() {
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
