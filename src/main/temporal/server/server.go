package main

import (
	"fmt"
	"net"
	"net/url"
	"os"

	"github.com/google/uuid"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/server/common/cluster"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/dynamicconfig"
	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/membership/static"
	"go.temporal.io/server/common/persistence/sql/sqlplugin/sqlite"
	"go.temporal.io/server/common/primitives"
	sqliteschema "go.temporal.io/server/schema/sqlite"
	"go.temporal.io/server/temporal"
)

const (
	loopback    = "127.0.0.1"
	clusterName = "active"
)

func buildServerOptions(o options, creds *credentials, logger log.Logger) ([]temporal.ServerOption, error) {
	services := map[string]config.Service{}
	hosts := map[primitives.ServiceName]static.Hosts{}
	for _, name := range temporal.DefaultServices {
		port := o.port
		if name != string(primitives.FrontendService) {
			free, err := freePort()
			if err != nil {
				return nil, err
			}
			port = free
		}
		services[name] = config.Service{RPC: config.RPC{GRPCPort: port, BindOnIP: loopback}}
		hosts[primitives.ServiceName(name)] = static.SingleLocalHost(fmt.Sprintf("%s:%d", loopback, port))
	}
	store, err := openDatabase(o)
	if err != nil {
		return nil, err
	}
	dynamic, err := buildDynamicConfig(o)
	if err != nil {
		return nil, err
	}
	result := []temporal.ServerOption{
		temporal.WithConfig(buildConfig(o, services, store)),
		temporal.ForServices(temporal.DefaultServices),
		temporal.WithStaticHosts(hosts),
		temporal.WithLogger(logger),
		temporal.WithDynamicConfigClient(dynamic),
	}
	if creds != nil {
		result = append(result, temporal.WithTLSConfigFactory(creds))
	}
	return result, nil
}

func buildConfig(o options, services map[string]config.Service, store *config.SQL) *config.Config {
	address := fmt.Sprintf("%s:%d", loopback, o.port)
	var conf config.Config
	conf.Global.Membership.BroadcastAddress = loopback
	conf.Persistence.DefaultStore = "sqlite"
	conf.Persistence.VisibilityStore = "sqlite"
	conf.Persistence.NumHistoryShards = 1
	conf.Persistence.DataStores = map[string]config.DataStore{"sqlite": {SQL: store}}
	conf.ClusterMetadata = &cluster.Config{
		FailoverVersionIncrement: 10,
		MasterClusterName:        clusterName,
		CurrentClusterName:       clusterName,
		ClusterInformation: map[string]cluster.ClusterInformation{clusterName: {
			Enabled: true, InitialFailoverVersion: 1, RPCAddress: address, ClusterID: uuid.NewString(),
		}},
	}
	conf.DCRedirectionPolicy.Policy = "noop"
	conf.Services = services
	conf.Archival.History.State = "disabled"
	conf.Archival.Visibility.State = "disabled"
	conf.NamespaceDefaults.Archival.History.State = "disabled"
	conf.NamespaceDefaults.Archival.Visibility.State = "disabled"
	conf.PublicClient.HostPort = address
	return &conf
}

func buildDynamicConfig(o options) (dynamicconfig.StaticClient, error) {
	result := dynamicconfig.StaticClient{dynamicconfig.HistoryCacheHostLevelMaxSize.Key(): 8096}
	for key, text := range o.dynamicConfig {
		value, err := parseJSON(text)
		if err != nil {
			return nil, fmt.Errorf("--dynamic-config-value %s: %w", key, err)
		}
		result[dynamicconfig.Key(key)] = value
	}
	return result, nil
}

func openDatabase(o options) (*config.SQL, error) {
	conf := &config.SQL{
		PluginName: sqlite.PluginName, DatabaseName: uuid.NewString(),
		ConnectAttributes: map[string]string{"mode": "memory", "cache": "shared"},
	}
	if o.database != "" {
		conf = fileDatabase(o.database, o.sqlitePragmas)
		if err := createDatabase(o.database); err != nil {
			return nil, fmt.Errorf("creating the schema: %w", err)
		}
	}
	attributes := map[string]enums.IndexedValueType{}
	for name, kind := range o.searchAttributes {
		value, err := enums.IndexedValueTypeFromString(kind)
		if err != nil {
			return nil, fmt.Errorf("--search-attribute %s: %w", name, err)
		}
		attributes[name] = value
	}
	namespace, err := sqliteschema.NewNamespaceConfig(clusterName, o.namespace, false, attributes)
	if err != nil {
		return nil, err
	}
	if err := sqliteschema.CreateNamespaces(conf, namespace); err != nil {
		return nil, fmt.Errorf("creating the namespace: %w", err)
	}
	return conf, nil
}

// fileDatabase escapes the path, because SQLite gets it in a URI, in which ?, # and % have a meaning.
func fileDatabase(file string, pragmas map[string]string) *config.SQL {
	attributes := map[string]string{"mode": "rwc"}
	for key, value := range pragmas {
		attributes[key] = value
	}
	name := (&url.URL{Path: file}).EscapedPath()
	return &config.SQL{PluginName: sqlite.PluginName, DatabaseName: name, ConnectAttributes: attributes}
}

// createDatabase renames a new database to its name when all tables exist, because a server that was killed before that
// would leave a database that no later start can use. A write-ahead log would keep its own name, so there is none.
func createDatabase(file string) error {
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		return err
	}
	unfinished := file + ".new"
	if err := os.Remove(unfinished); err != nil && !os.IsNotExist(err) {
		return err
	}
	if err := sqliteschema.SetupSchema(fileDatabase(unfinished, withoutLog)); err != nil {
		return err
	}
	if err := syncFile(unfinished); err != nil {
		return err
	}
	return os.Rename(unfinished, file)
}

// withoutLog holds for a file that is synced at the end, and thrown away when something fails before that.
var withoutLog = map[string]string{"journal_mode": "MEMORY", "synchronous": "OFF"}

func syncFile(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	return file.Sync()
}

func freePort() (int, error) {
	listener, err := net.Listen("tcp", loopback+":0")
	if err != nil {
		return 0, err
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().(*net.TCPAddr).Port, nil
}
