// Dex, an OpenID provider, with people whom a test writes to a file. It reads the file at each sign-in and each refresh, so
// their groups can change while they are signed in.
package main

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"flag"
	"log"
	"net/http"
	"os"
	"path/filepath"

	"github.com/dexidp/dex/connector"
	"github.com/dexidp/dex/server"
	"github.com/dexidp/dex/storage"
	"github.com/dexidp/dex/storage/memory"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/sirupsen/logrus"
)

//go:embed *.html
var pages embed.FS

type person struct {
	Email         string   `json:"email"`
	EmailVerified bool     `json:"email_verified"`
	Groups        []string `json:"groups"`
}

// people signs in whoever is in the file, with any password.
type people struct {
	File string `json:"file"`
}

func (p *people) Open(string, logrus.FieldLogger) (connector.Connector, error) { return p, nil }

func (p *people) Prompt() string { return "Name" }

func (p *people) find(name string) (found person, known bool, err error) {
	content, err := os.ReadFile(p.File)
	if err != nil {
		return found, false, err
	}
	all := map[string]person{}
	if err := json.Unmarshal(content, &all); err != nil {
		return found, false, err
	}
	found, known = all[name]
	return found, known, nil
}

func (p *people) Login(_ context.Context, _ connector.Scopes, name, _ string) (connector.Identity, bool, error) {
	found, known, err := p.find(name)
	return toIdentity(name, found), known, err
}

func (p *people) Refresh(_ context.Context, _ connector.Scopes, known connector.Identity) (connector.Identity, error) {
	found, exists, err := p.find(known.UserID)
	if err == nil && !exists {
		err = errors.New("the person was removed")
	}
	return toIdentity(known.UserID, found), err
}

func toIdentity(name string, p person) connector.Identity {
	return connector.Identity{
		UserID: name, Username: name, Email: p.Email, EmailVerified: p.EmailVerified, Groups: p.Groups,
	}
}

// writePages makes the folder that Dex reads its pages from.
func writePages() (string, error) {
	folder, err := os.MkdirTemp("", "dex-pages-")
	if err != nil {
		return "", err
	}
	for _, name := range []string{"static", "themes/coreos", "templates"} {
		if err := os.MkdirAll(filepath.Join(folder, name), 0o700); err != nil {
			return "", err
		}
	}
	entries, err := pages.ReadDir(".")
	for _, entry := range entries {
		content, readErr := pages.ReadFile(entry.Name())
		err = errors.Join(err, readErr, os.WriteFile(filepath.Join(folder, "templates", entry.Name()), content, 0o600))
	}
	return folder, err
}

func run() error {
	issuer := flag.String("issuer", "", "issuer URL")
	listen := flag.String("listen", "", "address to listen on")
	file := flag.String("people", "", "file of the people")
	redirect := flag.String("redirect", "", "redirect URL of the client")
	client := flag.String("client", "", "id of the client")
	secret := flag.String("secret", "", "secret of the client")
	flag.Parse()

	server.ConnectorsConfig["people"] = func() server.ConnectorConfig { return new(people) }
	config, err := json.Marshal(people{File: *file})
	if err != nil {
		return err
	}
	folder, err := writePages()
	if err != nil {
		return err
	}
	logger := logrus.New()
	store := memory.New(logger)
	store = storage.WithStaticClients(store, []storage.Client{
		{ID: *client, Secret: *secret, Name: *client, RedirectURIs: []string{*redirect}},
	})
	store = storage.WithStaticConnectors(store, []storage.Connector{
		{ID: "people", Type: "people", Name: "people", Config: config},
	})
	handler, err := server.NewServer(context.Background(), server.Config{
		Issuer:             *issuer,
		Storage:            store,
		Logger:             logger,
		PrometheusRegistry: prometheus.NewRegistry(),
		Web:                server.WebConfig{Dir: folder},
	})
	if err != nil {
		return err
	}
	return http.ListenAndServe(*listen, handler)
}

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}
