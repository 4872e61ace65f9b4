package proxy

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"sync"
	"time"
)

// lifetime is how long the authority is valid. clockSkew is how far the clock of a container may be behind.
const (
	lifetime  = 24 * time.Hour
	clockSkew = time.Hour
)

// authority is a certificate authority for one run. Its key is in memory only, and its certificate permits no names but those of
// newAuthority and their subdomains.
type authority struct {
	key         *ecdsa.PrivateKey
	certificate *x509.Certificate

	mu      sync.Mutex
	configs map[string]*tls.Config
}

// newAuthority returns an authority for hosts, which are names or IP addresses.
func newAuthority(hosts []string) (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber:          serial(),
		Subject:               pkix.Name{CommonName: "mesh meter, for one run"},
		NotBefore:             now.Add(-clockSkew),
		NotAfter:              now.Add(lifetime),
		KeyUsage:              x509.KeyUsageCertSign,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true, IsCA: true, MaxPathLenZero: true,
		PermittedDNSDomainsCritical: true,
	}
	constrain(template, hosts)
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	certificate, err := x509.ParseCertificate(der)
	return &authority{key: key, certificate: certificate, configs: map[string]*tls.Config{}}, err
}

// constrain sets the names that the authority may certify. Without an excluded range it could certify every IP address, because a
// constraint on names does not limit addresses.
func constrain(template *x509.Certificate, hosts []string) {
	excluded := map[int]*net.IPNet{net.IPv4len: allOf(net.IPv4len), net.IPv6len: allOf(net.IPv6len)}
	for _, host := range hosts {
		ip := net.ParseIP(host)
		if ip == nil {
			template.PermittedDNSDomains = append(template.PermittedDNSDomains, host)
			continue
		}
		if v4 := ip.To4(); v4 != nil {
			ip = v4
		}
		one := &net.IPNet{IP: ip, Mask: net.CIDRMask(8*len(ip), 8*len(ip))}
		template.PermittedIPRanges = append(template.PermittedIPRanges, one)
		delete(excluded, len(ip))
	}
	for _, ranges := range excluded {
		template.ExcludedIPRanges = append(template.ExcludedIPRanges, ranges)
	}
}

// allOf returns the range of all addresses of a length in bytes.
func allOf(length int) *net.IPNet {
	return &net.IPNet{IP: make(net.IP, length), Mask: make(net.IPMask, length)}
}

// pem returns the certificate, without the key, as a file has it.
func (a *authority) pem() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.certificate.Raw})
}

// config returns the configuration of a server that is host for a program.
func (a *authority) config(host string) (*tls.Config, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if config := a.configs[host]; config != nil {
		return config, nil
	}
	leaf, err := a.leaf(host)
	if err != nil {
		return nil, err
	}
	config := &tls.Config{Certificates: []tls.Certificate{*leaf}, NextProtos: []string{"h2", "http/1.1"}, MinVersion: tls.VersionTLS12}
	a.configs[host] = config
	return config, nil
}

// leaf returns a certificate for a host, with a key of its own.
func (a *authority) leaf(host string) (*tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: serial(),
		Subject:      pkix.Name{Organization: []string{"mesh meter"}},
		NotBefore:    a.certificate.NotBefore, NotAfter: a.certificate.NotAfter,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
	}
	if ip := net.ParseIP(host); ip != nil {
		template.IPAddresses = []net.IP{ip}
	} else {
		template.DNSNames = []string{host}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, &key.PublicKey, a.key)
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
}

// serial returns a random serial number. Programs reject two certificates of one issuer with the same number.
func serial() *big.Int {
	const size = 16
	bytes := make([]byte, size)
	_, _ = rand.Read(bytes) // it never fails
	bytes[0] &= 0x7f
	return new(big.Int).SetBytes(bytes)
}
