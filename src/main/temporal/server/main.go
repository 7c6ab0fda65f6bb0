// Temporal's development server, as `temporal server start-dev` builds it, but for its owner alone: every port demands a
// client certificate, and the Web UI a secret, which are made at each start and exist only in memory and in one folder.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"go.temporal.io/server/common/log"
	"go.temporal.io/server/temporal"
)

type options struct {
	port             int
	uiPort           int
	namespace        string
	database         string
	credentials      string
	sqlitePragmas    pairs
	searchAttributes pairs
	dynamicConfig    pairs
}

// pairs collects a repeated flag of the form key=value.
type pairs map[string]string

func (p pairs) String() string { return fmt.Sprint(map[string]string(p)) }

func (p pairs) Set(text string) error {
	key, value, found := strings.Cut(text, "=")
	if !found {
		return fmt.Errorf("%q is not of the form key=value", text)
	}
	p[key] = value
	return nil
}

func parseOptions() options {
	o := options{sqlitePragmas: pairs{}, searchAttributes: pairs{}, dynamicConfig: pairs{}}
	flag.IntVar(&o.port, "port", 0, "port of the frontend on 127.0.0.1")
	flag.IntVar(&o.uiPort, "ui-port", 0, "port of the Web UI on 127.0.0.1; 0 serves none")
	flag.StringVar(&o.namespace, "namespace", "default", "namespace to create")
	flag.StringVar(&o.database, "db-filename", "", "SQLite file; empty keeps everything in memory")
	flag.StringVar(&o.credentials, "credentials", "", "folder for the credentials of this start; empty demands none")
	flag.Var(o.sqlitePragmas, "sqlite-pragma", "pragma=value of SQLite")
	flag.Var(o.searchAttributes, "search-attribute", "name=type of a search attribute")
	flag.Var(o.dynamicConfig, "dynamic-config-value", "key=JSON of the dynamic configuration")
	flag.Parse()
	return o
}

func main() {
	if err := run(parseOptions()); err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(1)
	}
}

func run(o options) error {
	if o.credentials == "" && o.uiPort != 0 {
		return fmt.Errorf("--ui-port needs --credentials, because the Web UI commands the server")
	}
	logger := log.NewZapLogger(log.BuildZapLogger(log.Config{Level: "error", Stdout: false}))
	var creds *credentials
	if o.credentials != "" {
		made, err := makeCredentials(o.credentials)
		if err != nil {
			return fmt.Errorf("making the credentials: %w", err)
		}
		creds = made
	}
	serverOptions, err := buildServerOptions(o, creds, logger)
	if err != nil {
		return err
	}
	server, err := temporal.NewServer(serverOptions...)
	if err != nil {
		return err
	}
	uiFailed := make(chan error, 1)
	if o.uiPort != 0 {
		go func() { uiFailed <- serveUI(o, creds) }()
	}
	if err := server.Start(); err != nil {
		return err
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM)
	select {
	case <-stop:
		return server.Stop()
	case err := <-uiFailed:
		return fmt.Errorf("the Web UI ended: %w", err)
	}
}

func parseJSON(text string) (any, error) {
	var value any
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	if number, ok := value.(json.Number); ok {
		if whole, err := number.Int64(); err == nil {
			return int(whole), nil
		}
		return number.Float64()
	}
	return value, nil
}
