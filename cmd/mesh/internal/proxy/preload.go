package proxy

import (
	_ "embed"
	"encoding/json"
	"maps"
	"net"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

//go:embed preload.js
var preload string

// meterHeader is the header of CONNECT with which the preload names what it connects: plainText follows without TLS, and unseen is a
// connection through another proxy, which it only reports.
const (
	meterHeader = "Mesh-Meter"
	plainText   = "plain"
	unseen      = "unseen"
)

// writePreload writes a file that Node runs before each program, and returns NODE_OPTIONS with it.
func (p *Proxy) writePreload(folder string, env []string) (string, error) {
	_, text, _ := net.SplitHostPort(p.host)
	port, _ := strconv.Atoi(text)
	config, err := json.Marshal(map[string]any{
		"port": port, "authorization": basic(p.credentials()), "hosts": slices.Sorted(maps.Keys(p.hosts)), "decrypts": p.authority != nil,
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
