package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"

	"go.temporal.io/server/common/rpc/encryption"
)

// The name in the server's certificate, beside the loopback addresses.
const serverName = "localhost"

// credentials are those of one start. The authority's key is forgotten as soon as both certificates are signed.
type credentials struct {
	authority []byte
	client    keyPair
	uiSecret  string
	serverTLS *tls.Config
	clientTLS *tls.Config
}

type keyPair struct{ certificate, key []byte }

// makeCredentials creates a certificate authority, a server and a client certificate and the Web UI's secret, and writes
// what the owner needs to the folder, readable by nobody else.
func makeCredentials(folder string) (*credentials, error) {
	authorityKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	authority := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Temporal of one start"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().AddDate(10, 0, 0),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	authorityDER, err := x509.CreateCertificate(rand.Reader, authority, authority, &authorityKey.PublicKey, authorityKey)
	if err != nil {
		return nil, err
	}
	server, err := issue(authority, authorityKey, "server", x509.ExtKeyUsageServerAuth)
	if err != nil {
		return nil, err
	}
	client, err := issue(authority, authorityKey, "client", x509.ExtKeyUsageClientAuth)
	if err != nil {
		return nil, err
	}
	secret := make([]byte, 32)
	if _, err := rand.Read(secret); err != nil {
		return nil, err
	}
	made := &credentials{authority: encode("CERTIFICATE", authorityDER), client: client, uiSecret: base64.RawURLEncoding.EncodeToString(secret)}
	if err := made.buildTLS(server); err != nil {
		return nil, err
	}
	return made, made.write(folder)
}

func issue(authority *x509.Certificate, authorityKey *ecdsa.PrivateKey, name string, usage x509.ExtKeyUsage) (keyPair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return keyPair{}, err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return keyPair{}, err
	}
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: name},
		NotBefore: authority.NotBefore, NotAfter: authority.NotAfter,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{usage},
		DNSNames: []string{serverName}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, authority, &key.PublicKey, authorityKey)
	if err != nil {
		return keyPair{}, err
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	return keyPair{certificate: encode("CERTIFICATE", der), key: encode("PRIVATE KEY", keyDER)}, err
}

func encode(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}

func (c *credentials) buildTLS(server keyPair) error {
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(c.authority)
	serverPair, err := tls.X509KeyPair(server.certificate, server.key)
	if err != nil {
		return err
	}
	clientPair, err := tls.X509KeyPair(c.client.certificate, c.client.key)
	if err != nil {
		return err
	}
	c.serverTLS = &tls.Config{
		MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{serverPair},
		ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool,
	}
	c.clientTLS = &tls.Config{
		MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{clientPair}, RootCAs: pool, ServerName: serverName,
	}
	return nil
}

func (c *credentials) write(folder string) error {
	files := map[string][]byte{
		"ca.pem": c.authority, "client.pem": c.client.certificate, "client.key": c.client.key,
		"ui-secret": []byte(c.uiSecret + "\n"),
	}
	for name, content := range files {
		path := filepath.Join(folder, name)
		// A file of an earlier start keeps its mode when it is overwritten, so it is made again.
		if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
			return err
		}
		if err := os.WriteFile(path, content, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// The same certificates protect the frontend and the services behind it, which obey whoever reaches them as well.
func (c *credentials) GetInternodeServerConfig() (*tls.Config, error) {
	return c.serverTLS.Clone(), nil
}
func (c *credentials) GetInternodeClientConfig() (*tls.Config, error) {
	return c.clientTLS.Clone(), nil
}
func (c *credentials) GetFrontendServerConfig() (*tls.Config, error) { return c.serverTLS.Clone(), nil }
func (c *credentials) GetFrontendClientConfig() (*tls.Config, error) { return c.clientTLS.Clone(), nil }
func (c *credentials) GetRemoteClusterClientConfig(string) (*tls.Config, error) {
	return c.clientTLS.Clone(), nil
}
func (c *credentials) GetExpiringCerts(time.Duration) (expiring, expired encryption.CertExpirationMap, err error) {
	return nil, nil, nil
}
