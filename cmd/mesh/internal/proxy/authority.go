package proxy

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"net"
	"time"
)

// lifetime limits the authority. clockSkew allows for a container clock that's behind.
const (
	lifetime  = 24 * time.Hour
	clockSkew = time.Hour
)

// authority is a certificate authority for one run. Its key stays in memory. Its
// certificate permits only the names given to newAuthority, and their subdomains.
type authority struct {
	key         *ecdsa.PrivateKey
	certificate *x509.Certificate
}

// newAuthority accepts names and IP addresses.
func newAuthority(hosts []string) (*authority, error) {
	now := time.Now()
	template := &x509.Certificate{
		Subject:               pkix.Name{CommonName: "mesh meter, for one run"},
		NotBefore:             now.Add(-clockSkew),
		NotAfter:              now.Add(lifetime),
		KeyUsage:              x509.KeyUsageCertSign,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true, IsCA: true, MaxPathLenZero: true,
		PermittedDNSDomainsCritical: true,
		// Name constraints don't limit IP addresses: without a range the authority could
		// certify all of them. No server has these two.
		PermittedIPRanges: []*net.IPNet{only(net.IPv4bcast), only(net.IPv6linklocalallnodes)},
	}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.PermittedIPRanges = append(template.PermittedIPRanges, only(ip))
		} else {
			template.PermittedDNSDomains = append(template.PermittedDNSDomains, host)
		}
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	certificate, err := x509.ParseCertificate(der)
	return &authority{key, certificate}, err
}

func only(ip net.IP) *net.IPNet {
	if v4 := ip.To4(); v4 != nil {
		ip = v4
	}
	return &net.IPNet{IP: ip, Mask: net.CIDRMask(8*len(ip), 8*len(ip))}
}

// pem returns the certificate without the key.
func (a *authority) pem() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.certificate.Raw})
}

// config lets a server impersonate host.
func (a *authority) config(host string) (*tls.Config, error) {
	leaf, err := a.leaf(host)
	return &tls.Config{Certificates: []tls.Certificate{leaf}, NextProtos: []string{"h2", "http/1.1"}, MinVersion: tls.VersionTLS12}, err
}

func (a *authority) leaf(host string) (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	template := &x509.Certificate{
		Subject:   pkix.Name{Organization: []string{"mesh meter"}},
		NotBefore: a.certificate.NotBefore, NotAfter: a.certificate.NotAfter,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
	}
	if ip := net.ParseIP(host); ip != nil {
		template.IPAddresses = []net.IP{ip}
	} else {
		template.DNSNames = []string{host}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, &key.PublicKey, a.key)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
}
