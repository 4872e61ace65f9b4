package proxy

import (
	_ "embed"
	"errors"
	"net"
	"slices"
	"strconv"
	"strings"
)

//go:embed hosts.txt
var hostsFile string

// official are the hosts whose calls are counted. remedies are hosts that serve models and have no prices here, with what makes --host count
// their calls.
var official, remedies = readHosts()

func readHosts() (official []string, remedies map[string]string) {
	remedies = map[string]string{}
	for line := range strings.Lines(hostsFile) {
		switch host, remedy, _ := strings.Cut(strings.TrimSpace(line), " "); {
		case host == "" || host == "#":
		case remedy != "":
			remedies[host] = remedy
		default:
			official = append(official, host)
		}
	}
	return official, remedies
}

// hostTable has the hosts whose calls are counted, whatever base URL a program uses: HOST with any port, HOST:PORT, and *.HOST for the names
// one label below it. The preload has the same table.
type hostTable map[string]bool

// newHostTable returns the official hosts, which a Meter knows, and those of --host.
func newHostTable(given []string) hostTable {
	t := hostTable{}
	for _, host := range slices.Concat(official, given) {
		t.add(host)
	}
	return t
}

// add adds HOST or HOST:PORT.
func (t hostTable) add(host string) {
	name := nameOf(host)
	if _, port, err := net.SplitHostPort(host); err == nil {
		name = net.JoinHostPort(name, port)
	}
	t[name] = true
}

// has reports whether calls to HOST or HOST:PORT are counted. Without a port it is that of https.
func (t hostTable) has(host string) bool {
	name := nameOf(host)
	_, port, err := net.SplitHostPort(host)
	if err != nil {
		port = "443"
	}
	return t[net.JoinHostPort(name, port)] || t[name] || t["*"+name[max(strings.IndexByte(name, '.'), 0):]]
}

// names returns the names below which the authority may certify.
func (t hostTable) names() (names []string) {
	for host := range t {
		names = append(names, nameOf(strings.TrimPrefix(host, "*.")))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// nameOf returns a host in lower case without its port.
func nameOf(address string) string {
	if name, _, err := net.SplitHostPort(address); err == nil {
		address = name
	}
	return strings.Trim(strings.TrimSuffix(strings.ToLower(address), "."), "[]")
}

// CheckHost returns an error if a text is not HOST or HOST:PORT. It does not show the text, which may be a URL with a password.
func CheckHost(host string) error {
	name := nameOf(host)
	if name == "" || strings.ContainsAny(host, "/@?# *%_\"'\\") || (net.ParseIP(name) == nil && strings.Contains(name, ":")) ||
		strings.HasPrefix(name, ".") || strings.Contains(name, "..") {
		return errors.New("must be a host or host:port")
	}
	if _, port, err := net.SplitHostPort(host); err == nil && !isPort(port) {
		return errPort
	}
	return nil
}

var errPort = errors.New("must have a port from 1 to 65535")

func isPort(text string) bool {
	n, err := strconv.ParseUint(text, 10, 16)
	return err == nil && n > 0
}
