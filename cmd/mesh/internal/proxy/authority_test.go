package proxy

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// No verifier may accept a certificate that the run's authority issued for another host.
func TestAuthorityIsConstrained(t *testing.T) {
	t.Parallel()
	a, err := newAuthority([]string{"api.openai.com", "10.0.0.7"})
	require.NoError(t, err)
	c := a.certificate
	assert.True(t, c.IsCA)
	assert.True(t, c.MaxPathLenZero)
	assert.Zero(t, c.MaxPathLen)
	assert.True(t, c.PermittedDNSDomainsCritical)
	assert.LessOrEqual(t, time.Until(c.NotAfter), 24*time.Hour)
	assert.Equal(t, x509.KeyUsageCertSign, c.KeyUsage)
	for host, accepted := range map[string]bool{
		"api.openai.com": true, "eu.api.openai.com": true, "10.0.0.7": true,
		"openai.com": false, "example.com": false, "xapi.openai.com": false, "10.0.0.8": false, "::1": false, "127.0.0.1": false, "2001:db8::1": false,
	} {
		assert.Equal(t, accepted, trusts(t, a, host), host)
	}
	a, err = newAuthority([]string{"api.openai.com"})
	require.NoError(t, err)
	for _, ip := range []string{"127.0.0.1", "::1", "10.0.0.7"} {
		assert.False(t, trusts(t, a, ip), ip)
	}
}

// A subordinate authority would sign without constraints, so it must not be accepted.
func TestAuthorityHasNoAuthoritiesBelow(t *testing.T) {
	t.Parallel()
	a, err := newAuthority([]string{"api.openai.com"})
	require.NoError(t, err)
	below, err := newAuthority([]string{"api.openai.com"})
	require.NoError(t, err)
	template := *below.certificate
	template.RawSubject, template.SubjectKeyId = nil, nil
	template.Subject.CommonName = "below"
	der, err := x509.CreateCertificate(nil, &template, a.certificate, &below.key.PublicKey, a.key)
	require.NoError(t, err)
	below.certificate, err = x509.ParseCertificate(der)
	require.NoError(t, err)
	leaf, err := below.leaf("api.openai.com")
	require.NoError(t, err)
	certificate, err := x509.ParseCertificate(leaf.Certificate[0])
	require.NoError(t, err)
	roots, between := x509.NewCertPool(), x509.NewCertPool()
	roots.AddCert(a.certificate)
	between.AddCert(below.certificate)
	_, err = certificate.Verify(x509.VerifyOptions{Roots: roots, Intermediates: between, DNSName: "api.openai.com"})
	var invalid x509.CertificateInvalidError
	require.ErrorAs(t, err, &invalid)
	assert.Equal(t, x509.TooManyIntermediates, invalid.Reason)
}

// trusts reports whether a client that trusts the authority accepts its certificate for
// host.
func trusts(t *testing.T, a *authority, host string) bool {
	t.Helper()
	config, err := a.config(host)
	require.NoError(t, err)
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(a.pem())
	listener, err := tls.Listen("tcp", "127.0.0.1:0", config)
	require.NoError(t, err)
	defer listener.Close()
	go func() {
		if server, err := listener.Accept(); err == nil {
			_, _ = io.Copy(io.Discard, server)
			server.Close()
		}
	}()
	client, err := tls.Dial("tcp", listener.Addr().String(), &tls.Config{ServerName: host, RootCAs: roots})
	if err == nil {
		client.Close()
	}
	var refused x509.CertificateInvalidError
	if err != nil {
		require.ErrorAs(t, err, &refused)
		assert.Equal(t, x509.CANotAuthorizedForThisName, refused.Reason)
	}
	return err == nil
}
