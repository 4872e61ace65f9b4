package proxy

import (
	_ "embed"
	"encoding/json"
	"path/filepath"
	"strings"
)

//go:embed preload.js
var preload string

// writePreload writes a file that Node runs before each program, and returns NODE_OPTIONS with it. It lets fetch reach hosts of
// providers without a base URL and without TLS. Node honors HTTPS_PROXY since 22.21 and 24.5 only; with --intercept newer ones do not need the file.
func (p *Proxy) writePreload(folder string, env []string) (string, error) {
	config, err := json.Marshal(map[string]any{
		"meter": p.base.Scheme + "://" + p.base.Host + p.prefix(hostsPath) + "/", "hosts": p.hosts.names, "always": p.authority == nil,
	})
	if err != nil {
		return "", err
	}
	name := filepath.Join(folder, "preload.cjs")
	if err := writeFile(name, []byte(strings.Replace(preload, "CONFIG", string(config), 1))); err != nil {
		return "", err
	}
	return strings.TrimSpace(valueOf(env, "NODE_OPTIONS") + ` --require "` + strings.ReplaceAll(name, `\`, `\\`) + `"`), nil
}
