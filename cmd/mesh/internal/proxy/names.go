package proxy

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
)

// The regions that have hosts of their own. Hosts of other regions stay tunnels.
var (
	openAIRegions = []string{"ae", "au", "ca", "eu", "gb", "in", "jp", "kr", "sg", "us"}
	xaiRegions    = []string{"eu-west-1", "us-east-1", "us-west-2"}
	awsRegions    = []string{
		"af-south-1", "ap-east-2", "ap-northeast-1", "ap-northeast-2", "ap-northeast-3", "ap-south-1", "ap-south-2", "ap-southeast-1",
		"ap-southeast-2", "ap-southeast-3", "ap-southeast-4", "ap-southeast-5", "ap-southeast-7", "ca-central-1", "ca-west-1", "eu-central-1",
		"eu-central-2", "eu-north-1", "eu-south-1", "eu-south-2", "eu-west-1", "eu-west-2", "eu-west-3", "il-central-1", "me-central-1",
		"me-south-1", "mx-central-1", "sa-east-1", "us-east-1", "us-east-2", "us-gov-east-1", "us-gov-west-1", "us-west-1", "us-west-2",
	}
	vertexLocations = []string{
		"africa-south1", "asia-east1", "asia-east2", "asia-northeast1", "asia-northeast3", "asia-south1", "asia-southeast1",
		"australia-southeast1", "europe-central2", "europe-north1", "europe-southwest1", "europe-west1", "europe-west2", "europe-west3",
		"europe-west4", "europe-west6", "europe-west8", "europe-west9", "me-central1", "me-central2", "me-west1", "northamerica-northeast1",
		"southamerica-east1", "us-central1", "us-east1", "us-east4", "us-east5", "us-south1", "us-west1", "us-west4",
	}
)

// hostTable has the hosts whose calls are counted, whatever base URL a program uses: HOST with any port, HOST:PORT, and *.HOST for the names
// one label below it. The preload has the same table.
type hostTable map[string]bool

// newHostTable returns the official hosts, which a Meter knows, and those of --host.
func newHostTable(given []string) hostTable {
	t := hostTable{"chatgpt.com": true, "openrouter.ai": true, "aiplatform.googleapis.com": true, "aiplatform.us.rep.googleapis.com": true, "aiplatform.eu.rep.googleapis.com": true}
	for _, k := range known {
		t[k.host] = true
	}
	for _, region := range openAIRegions {
		t[region+".api.openai.com"] = true
	}
	for _, region := range xaiRegions {
		t[region+".api.x.ai"] = true
	}
	for _, service := range []string{"openai", "services.ai", "cognitiveservices"} {
		t["*."+service+".azure.com"] = true
	}
	for _, region := range awsRegions {
		for _, host := range []string{"bedrock-runtime.%s.amazonaws.com", "bedrock-runtime-fips.%s.amazonaws.com", "bedrock-runtime.%s.api.aws",
			"bedrock-runtime-fips.%s.api.aws", "bedrock-mantle.%s.api.aws", "aws-external-anthropic.%s.api.aws"} {
			t[fmt.Sprintf(host, region)] = true
		}
	}
	for _, location := range vertexLocations {
		t[location+"-aiplatform.googleapis.com"] = true
	}
	for _, host := range given {
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
