package proxy

import (
	"errors"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/meter"
)

// awsRegions are the regions of Bedrock, and vertexLocations those of Vertex that have a host of their own. Their hosts are no
// subdomains of one name, so the authority has to name each of them. Hosts of other regions stay tunnels.
var (
	awsRegions = []string{
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

// providerNames returns the names below which a meter knows hosts.
func providerNames() []string {
	var names []string
	for _, k := range known {
		names = append(names, k.host)
	}
	names = append(names, "chatgpt.com", "openrouter.ai", "openai.azure.com", "services.ai.azure.com", "cognitiveservices.azure.com",
		"aiplatform.googleapis.com", "aiplatform.us.rep.googleapis.com", "aiplatform.eu.rep.googleapis.com")
	for _, region := range awsRegions {
		names = append(names, "bedrock-runtime."+region+".amazonaws.com", "bedrock-runtime-fips."+region+".amazonaws.com",
			"bedrock-runtime."+region+".api.aws", "bedrock-runtime-fips."+region+".api.aws",
			"bedrock-mantle."+region+".api.aws", "aws-external-anthropic."+region+".api.aws")
	}
	for _, location := range vertexLocations {
		names = append(names, location+"-aiplatform.googleapis.com")
	}
	return slices.DeleteFunc(names, func(name string) bool {
		_, known := meter.HostProvider(name)
		_, below := meter.HostProvider("resource." + name) // Azure has a host for each customer
		return !known && !below
	})
}

// hostNames are the hosts whose calls are counted, whatever base URL a program uses.
type hostNames struct {
	given []string // of --host: HOST or HOST:PORT
	names []string // all of them, without ports
}

func newHostNames(given []string) hostNames {
	h := hostNames{names: providerNames()}
	for _, host := range given {
		host = strings.ToLower(host)
		h.given, h.names = append(h.given, host), append(h.names, nameOf(host))
	}
	return h
}

// has reports whether calls to a host, which may have a port, are counted. It is below a name of the authority.
func (h hostNames) has(address string) bool {
	address = strings.ToLower(address)
	name := nameOf(address)
	if slices.Contains(h.given, address) || slices.Contains(h.given, name) {
		return true
	}
	_, known := meter.HostProvider(name)
	return known && slices.ContainsFunc(h.names, func(n string) bool { return name == n || strings.HasSuffix(name, "."+n) })
}

// nameOf returns a host without its port.
func nameOf(address string) string {
	if name, _, err := net.SplitHostPort(address); err == nil {
		return name
	}
	return strings.Trim(address, "[]")
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
