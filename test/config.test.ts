import { describe, expect, it } from 'vitest';
import { appManifest } from '../api/codehost/app-manifest.ts';
import { loadConfig } from '../src/config.ts';

const keys = { BLOBS_S3_ACCESS_KEY_ID: 'an-id', BLOBS_S3_SECRET_ACCESS_KEY: 'a-secret' };

it('uses a bucket only if BLOBS_S3_BUCKET is set', () => {
  expect(loadConfig({}).bucket).toBeUndefined();
  expect(loadConfig(keys).bucket).toBeUndefined();
  expect(loadConfig({ ...keys, BLOBS_S3_BUCKET: 'blobs', BLOBS_S3_ENDPOINT: 'http://s3.local' }).bucket).toEqual({
    bucket: 'blobs',
    endpoint: 'http://s3.local',
    region: 'us-east-1',
    accessKeyId: 'an-id',
    secretAccessKey: 'a-secret',
  });
});

it('names the missing key of a bucket and does not show the other one', () => {
  const load = () => loadConfig({ BLOBS_S3_BUCKET: 'blobs', BLOBS_S3_SECRET_ACCESS_KEY: 'a-secret' });
  expect(load).toThrow('BLOBS_S3_ACCESS_KEY_ID: is required with BLOBS_S3_BUCKET');
  expect(load).not.toThrow('a-secret');
});

it.each([
  ['METRICS_PORT', 'http', 'must be a whole number from 1 to 65535'],
  ['METRICS_PORT', '65536', 'must be a whole number from 1 to 65535'],
  ['METRICS_PORT', '80.5', 'must be a whole number from 1 to 65535'],
  ['SHUTDOWN_DELAY_SECONDS', '-1', 'must be a whole number from 0 to 300'],
  ['QUOTA_ZONES_PER_ORG', '0', 'must be a whole number of at least 1'],
  ['PROMETHEUS_URL', 'prometheus', 'must be a URL that begins with http:// or https://'],
  ['SERVICE_ACCOUNT', 'service', 'must be <namespace>/<name>'],
  ['INGRESS_HOST', 'https://ingress.example.com', 'must be a domain name such as ingress.example.com'],
  ['INGRESS_HOST', '192.0.2.1', 'must be a domain name such as ingress.example.com'],
])('says once which values %s accepts, for %s', (name, text, violation) => {
  expect(() => loadConfig({ [name]: text })).toThrow(
    new Error(`Invalid environment variables: ${name}: ${violation}.`),
  );
});

it('reads the addresses of DNS servers', () => {
  const addresses = ['192.0.2.1', '192.0.2.1:5353', '2001:db8::1', '[2001:db8::1]:5353'];
  const [first] = addresses;
  const set = {
    DNS_RESOLVERS: addresses.join(', '),
    DNS_ZONE_SERVERS: `example.com=${first}, localhost=127.0.0.1:5353`,
  };
  expect(loadConfig(set).dns).toEqual({
    resolvers: addresses,
    zoneServers: [
      { dnsZone: 'example.com', server: first },
      { dnsZone: 'localhost', server: '127.0.0.1:5353' },
    ],
  });
});

it.each([
  ['DNS_RESOLVERS', 'abc'],
  ['DNS_RESOLVERS', 'dns.example.com:53'],
  ['DNS_RESOLVERS', '192.0.2.1:0'],
  ['DNS_RESOLVERS', '192.0.2.256'],
  ['DNS_ZONE_SERVERS', 'example.com'],
  ['DNS_ZONE_SERVERS', '=192.0.2.1'],
  ['DNS_ZONE_SERVERS', 'example.com=dns:53'],
])('rejects the %s %s, which no query would reach', (name, text) => {
  expect(() => loadConfig({ [name]: `${text}, ${text}` })).toThrow(new RegExp(`${name}\\.0: each entry must be <`));
});

it('keeps the network of agents closed by default, and names a wrong inside address', () => {
  expect(loadConfig({})).toMatchObject({ agentNetwork: 'never', allowedInside: [] });
  expect(
    loadConfig({ AGENT_NETWORK: 'public', ALLOWED_INSIDE_ADDRESSES: 'npm.internal:4873, 10.1.0.0/16' }),
  ).toMatchObject({
    agentNetwork: 'public',
    allowedInside: [{ host: 'npm.internal', port: 4873 }, { range: '10.1.0.0/16' }],
  });
  expect(() => loadConfig({ AGENT_NETWORK: 'all' })).toThrow('AGENT_NETWORK');
  const load = () => loadConfig({ ALLOWED_INSIDE_ADDRESSES: 'http://npm.internal' });
  expect(load).toThrow('"http://npm.internal" must be <host>, <host>:<port>, an address or a CIDR range');
});

it('reads the servers of clouds, and names a wrong one', () => {
  expect(loadConfig({}).cloudEndpoints).toEqual({
    awsSts: undefined,
    awsEks: undefined,
    googleSts: 'https://sts.googleapis.com',
    googleIam: 'https://iamcredentials.googleapis.com',
    googleContainer: 'https://container.googleapis.com',
  });
  const CLOUD_AWS_STS_URL = 'https://sts.{region}.vpce.example.com';
  const loaded = loadConfig({ CLOUD_AWS_STS_URL, CLOUD_GOOGLE_STS_URL: 'https://sts.example.com/' });
  expect(loaded.cloudEndpoints).toMatchObject({ awsSts: CLOUD_AWS_STS_URL, googleSts: 'https://sts.example.com' });
  expect(() => loadConfig({ CLOUD_AWS_STS_URL: 'sts.example.com' })).toThrow('CLOUD_AWS_STS_URL');
});

it('uses Prometheus only if PROMETHEUS_URL is set, and rejects credentials in the URL', () => {
  expect(loadConfig({ PROMETHEUS_TOKEN_FILE: '/token' }).prometheus).toBeUndefined();
  const PROMETHEUS_URL = 'http://prometheus.monitoring:9090/root';
  expect(loadConfig({ PROMETHEUS_URL }).prometheus).toEqual({ url: PROMETHEUS_URL, scrapeSeconds: 30 });
  const all = { PROMETHEUS_URL, PROMETHEUS_TOKEN_FILE: '/token', PROMETHEUS_SCRAPE_SECONDS: '60' };
  expect(loadConfig(all).prometheus).toEqual({ url: PROMETHEUS_URL, tokenFile: '/token', scrapeSeconds: 60 });
  const load = () => loadConfig({ PROMETHEUS_URL: 'http://user:a-secret@prometheus' });
  expect(load).toThrow('PROMETHEUS_URL: must not contain credentials; set PROMETHEUS_TOKEN_FILE');
  expect(load).not.toThrow('a-secret');
});

it('uses Alertmanager with the credentials of Prometheus, and reads the retention of metrics', () => {
  const dayMs = 24 * 60 * 60 * 1_000;
  expect(loadConfig({})).toMatchObject({ alertmanager: undefined, metricsRetentionMs: 14 * dayMs });
  const ALERTMANAGER_URL = 'http://alertmanager.monitoring:9093';
  const set = { ALERTMANAGER_URL, PROMETHEUS_BASIC_AUTH_FILE: '/user', METRICS_RETENTION: '2w' };
  expect(loadConfig(set)).toMatchObject({
    alertmanager: { url: ALERTMANAGER_URL, basicAuthFile: '/user' },
    metricsRetentionMs: 14 * dayMs,
  });
  for (const [text, ms] of [
    ['36h', 1.5 * dayMs],
    ['1y', 365 * dayMs],
  ] as const)
    expect(loadConfig({ METRICS_RETENTION: text }).metricsRetentionMs).toBe(ms);
  for (const wrong of ['14', '0d', 'd', '-1d', '14d ', '15m'])
    expect(() => loadConfig({ METRICS_RETENTION: wrong })).toThrow('METRICS_RETENTION: must be a duration such as 14d');
  expect(() => loadConfig({ ALERTMANAGER_URL: 'http://user:a-secret@x' })).toThrow(
    'ALERTMANAGER_URL: must not contain',
  );
});

it('reads the namespaces and labels for Prometheus, and whether a platform runs its own', () => {
  expect(loadConfig({})).toMatchObject({ metricsLabels: {}, network: { metricsNamespaces: [] }, embedsMetrics: true });
  const set = { METRICS_LABELS: 'release=prometheus, example.com/team=a', METRICS_NAMESPACES: 'monitoring' };
  expect(loadConfig(set)).toMatchObject({
    metricsLabels: { release: 'prometheus', 'example.com/team': 'a' },
    network: { metricsNamespaces: ['monitoring'] },
  });
  for (const wrong of ['release', '=x', 'a b=c', 'a={{x}}'])
    expect(() => loadConfig({ METRICS_LABELS: wrong })).toThrow('METRICS_LABELS: each entry must be <name>=<value>');
  for (const off of [{ METRICS: 'off' }, { PROMETHEUS_URL: 'http://prometheus:9090' }])
    expect(loadConfig(off).embedsMetrics).toBe(false);
});

it('parses the API key and the encryption keys of Temporal', () => {
  const [old, young] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)].map((bytes) => bytes.toString('base64'));
  const { temporal } = loadConfig({
    TEMPORAL_API_KEY: 'key',
    TEMPORAL_ENCRYPTION_KEYS: `young:${young}, old:${old}`,
  });
  expect(temporal.encryptionKeys.map(({ id, bytes }) => [id, bytes[0]])).toEqual([
    ['young', 2],
    ['old', 1],
  ]);
  // An API key implies TLS unless TEMPORAL_TLS says otherwise.
  expect(temporal.tls).toBeDefined();
  expect(loadConfig({ TEMPORAL_API_KEY: 'key', TEMPORAL_TLS: 'false' }).temporal.tls).toBeUndefined();
  expect(loadConfig({}).temporal).toMatchObject({ tls: undefined, encryptionKeys: [] });
});

it('describes invalid keys without showing them', () => {
  const wrong = (): unknown => loadConfig({ TEMPORAL_ENCRYPTION_KEYS: 'k:c2hvcnQ=' });
  expect(wrong).toThrow(/TEMPORAL_ENCRYPTION_KEYS.*32 bytes/);
  expect(wrong).not.toThrow(/c2hvcnQ/);
  for (const none of [' ', ', ,', '\n'])
    expect(() => loadConfig({ TEMPORAL_ENCRYPTION_KEYS: none })).toThrow(/TEMPORAL_ENCRYPTION_KEYS.*32 bytes/);
  expect(() => loadConfig({ TEMPORAL_TLS_CLIENT_KEY_PATH: '/k' })).toThrow(/TEMPORAL_TLS_CLIENT_CERT_PATH/);
});

it('reads the access to workload clusters, and shows no credentials of a wrong entry', () => {
  expect(loadConfig({})).toMatchObject({ workloadKubeconfig: undefined, workloadPrometheus: new Map() });
  const { workloadPrometheus } = loadConfig({ WORKLOAD_PROMETHEUS_URLS: 'apart=http://a:9090/x, far=https://f' });
  expect([...workloadPrometheus]).toEqual([
    ['apart', 'http://a:9090/x'],
    ['far', 'https://f'],
  ]);
  for (const wrong of ['apart', 'apart=ftp://x', 'apart=http://user:a-secret@x', '=http://x']) {
    const load = () => loadConfig({ WORKLOAD_PROMETHEUS_URLS: wrong });
    expect(load).toThrow('WORKLOAD_PROMETHEUS_URLS: each entry must be <cluster>=<url>');
    expect(load).not.toThrow('a-secret');
  }
});

it('reads the strategy of builds and the credentials of registries, and never shows wrong ones', () => {
  expect(loadConfig({})).toMatchObject({ buildStrategy: 'buildpacks-v3', registry: { push: undefined } });
  const credentials = '{"auths":{"registry.test":{"auth":"eA=="}}}';
  const set = { BUILD_STRATEGY: 'kaniko', REGISTRY_PUSH_CREDENTIALS: credentials };
  expect(loadConfig(set)).toMatchObject({
    buildStrategy: 'kaniko',
    registry: { push: credentials, pull: undefined },
  });
  for (const wrong of ['a-secret', '{"a-secret":{}}']) {
    const load = () => loadConfig({ REGISTRY_PULL_CREDENTIALS: wrong });
    expect(load).toThrow('REGISTRY_PULL_CREDENTIALS: must be a JSON object with "auths"');
    expect(load).not.toThrow('a-secret');
  }
});

it('reads trusted proxies as CIDRs, and names a wrong one', () => {
  expect(loadConfig({}).trustedProxies).toEqual([]);
  expect(loadConfig({ TRUSTED_PROXIES: '10.0.0.0/8, fd00::/8' }).trustedProxies).toEqual(['10.0.0.0/8', 'fd00::/8']);
  expect(() => loadConfig({ TRUSTED_PROXIES: '10.0.0.1' })).toThrow('TRUSTED_PROXIES.0: each entry must be a CIDR');
});

it('limits tokens to 90 days by default and to a year at most, and counts everything that one tenant can pile up', () => {
  expect(loadConfig({}).tokenLifetime).toEqual({ defaultDays: 90, maxDays: 365 });
  expect(() => loadConfig({ TOKEN_DAYS_MAX: '30' })).toThrow('TOKEN_DAYS_DEFAULT: must not exceed TOKEN_DAYS_MAX');
  expect(loadConfig({ QUOTA_TOKENS_PER_USER: '3' }).quotas).toEqual({
    tokensPerUser: 3,
    streamsPerUser: 20,
    requestsPerUserPerMinute: 12_000,
    productsPerOrg: 200,
    zonesPerOrg: 500,
    domainsPerOrg: 100,
    runsPerOrg: 50,
    openIncidentsPerOrg: 200,
  });
});

it('keeps its own hosts from tenants: that of the API, the ingress and the roots of managed domains', () => {
  const environment = { PUBLIC_URL: 'https://delivery.example.com', INGRESS_HOST: 'ingress.example.com' };
  const { domains } = loadConfig({ ...environment, MANAGED_BASE_DOMAINS: 'sites.example.com' });
  expect(domains.ownHosts).toEqual(['delivery.example.com', 'ingress.example.com', 'sites.example.com']);
});

it('rejects addresses of zones that are no URLs, because no Product could be created', () => {
  for (const wrong of ['{zone}.example.com', 'https://example.com/{zone}', 'https://example.com', 'https://{zone}.a b'])
    expect(() => loadConfig({ ZONE_ADDRESS: wrong })).toThrow(
      'ZONE_ADDRESS: must be a URL that begins with http:// or https://, with {zone} in its host',
    );
  expect(() => loadConfig({ ZONE_SERVICE: '{product}.{zone}.svc' })).toThrow('ZONE_SERVICE: must be a URL');
  expect(loadConfig({ ZONE_ADDRESS: 'http://{zone}-apps.localhost:81' }).zoneAddress('shop')).toBe(
    'http://shop-apps.localhost:81',
  );
});

it('reads the roots of managed domains as lower-case names, and names a wrong one', () => {
  const { domains } = loadConfig({ MANAGED_BASE_DOMAINS: 'Sites.Example.com, apps.test' });
  expect(domains.managedBaseDomains).toEqual(['sites.example.com', 'apps.test']);
  expect(() => loadConfig({ MANAGED_BASE_DOMAINS: 'apps.test,*.sites.test' })).toThrow(
    'MANAGED_BASE_DOMAINS.1: each entry must be a domain name such as apps.example.com',
  );
});

it('names a wrong address of the ingress, which people would copy to their DNS records', () => {
  const INGRESS_ADDRESSES = '192.0.2.1, 2001:db8::1';
  expect(loadConfig({ INGRESS_ADDRESSES }).domains.ingress.addresses).toEqual(['192.0.2.1', '2001:db8::1']);
  expect(loadConfig({ INGRESS_ADDRESSES: '2001:DB8:0:0:1::0' }).domains.ingress.addresses).toEqual([
    '2001:db8:0:0:1::',
  ]);
  expect(() => loadConfig({ INGRESS_ADDRESSES: 'ingress.example.com' })).toThrow(
    'INGRESS_ADDRESSES.0: each entry must be an IP address',
  );
});

it('accepts webhook bodies up to 5 MiB unless the limit of the code host is set', () => {
  const mib = 1024 * 1024;
  expect(loadConfig({}).webhooks).toEqual({ bodyBytesMax: 5 * mib, unverifiedBytesMax: 64 * mib });
  expect(loadConfig({ WEBHOOK_BODY_MIB: '25' }).webhooks.bodyBytesMax).toBe(25 * mib);
  expect(() => loadConfig({ WEBHOOK_BODY_MIB: '26' })).toThrow('WEBHOOK_BODY_MIB');
});

describe('the address of the Temporal server', () => {
  const keys = { TEMPORAL_ENCRYPTION_KEYS: `one:${Buffer.alloc(32).toString('base64')}` };
  const remote = { TEMPORAL_ADDRESS: 'temporal-frontend.temporal.svc:7233', ...keys };
  const files = { TEMPORAL_TLS_CLIENT_CERT_PATH: '/tls.crt', TEMPORAL_TLS_CLIENT_KEY_PATH: '/tls.key' };

  it.each([
    ['nothing', remote],
    ['TLS without a client certificate', { ...remote, TEMPORAL_TLS: 'true' }],
    ['only a CA', { ...remote, TEMPORAL_TLS_SERVER_CA_CERT_PATH: '/ca.crt' }],
    ['a certificate that is not used', { ...remote, ...files, TEMPORAL_TLS: 'false' }],
    ['another machine’s IP address', { ...remote, TEMPORAL_ADDRESS: '10.0.0.7:7233' }],
    ['a name that only begins like loopback', { ...remote, TEMPORAL_ADDRESS: '127.0.0.1.evil.test:7233' }],
    ['another name', { ...remote, TEMPORAL_ADDRESS: 'localhost.evil.test:7233' }],
  ])('beyond this machine is refused with %s', (_case, environment) => {
    expect(() => loadConfig(environment)).toThrow(
      /TEMPORAL_ADDRESS: .* set TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH, or TEMPORAL_API_KEY/,
    );
  });

  it.each([
    ['a client certificate', { ...remote, ...files, TEMPORAL_ENCRYPTION_KEYS: '' }],
    ['an API key', { TEMPORAL_ADDRESS: remote.TEMPORAL_ADDRESS, TEMPORAL_API_KEY: 'key' }],
  ])('beyond this machine is refused with %s but no encryption keys', (_case, environment) => {
    expect(() => loadConfig(environment)).toThrow(
      /TEMPORAL_ENCRYPTION_KEYS: is required with a Temporal server beyond this machine/,
    );
  });

  it.each([
    ['a client certificate', { ...remote, ...files }],
    ['an API key', { ...remote, TEMPORAL_API_KEY: 'key' }],
    ['loopback', { TEMPORAL_ADDRESS: '127.0.0.1:7233' }],
    ['loopback of IPv6', { TEMPORAL_ADDRESS: '[::1]:7233' }],
    ['the name of loopback', { TEMPORAL_ADDRESS: 'localhost:7233' }],
  ])('is accepted with %s', (_case, environment) => {
    expect(loadConfig(environment).temporal.address).toBe(environment.TEMPORAL_ADDRESS);
  });
});

it('rejects the address of a model without its scheme, which would be read as one', () => {
  const model = { MODEL_NAME: 'm', MODEL_API_KEY: 'k' };
  expect(() => loadConfig({ ...model, MODEL_BASE_URL: 'localhost:18999' })).toThrow(
    'MODEL_BASE_URL: must be a URL that begins with http:// or https://',
  );
  expect(loadConfig({ ...model, MODEL_BASE_URL: 'http://localhost:18999/v1' }).model).toBeDefined();
});

it('accepts a slash at the end of URLs that paths are appended to', () => {
  const config = loadConfig({
    PUBLIC_URL: 'https://delivery.example.com/',
    CODEHOST_URL: 'https://code.example.com/',
    CODEHOST_API_URL: 'https://code.example.com/api/v3/',
  });
  const { hook_attributes: webhook } = appManifest({ org: 'acme', publicUrl: config.publicUrl });
  expect(webhook.url).toBe('https://delivery.example.com/api/v1/webhooks/codehost');
  expect(config.codehost).toMatchObject({ url: 'https://code.example.com', apiUrl: 'https://code.example.com/api/v3' });
});

it('rejects a public URL with a path, because the API and the UI are at the root of their host', () => {
  for (const wrong of ['https://example.com/delivery', 'https://example.com/?org=acme', 'https://user@example.com'])
    expect(() => loadConfig({ PUBLIC_URL: wrong })).toThrow('PUBLIC_URL: must be a URL without a path');
  expect(loadConfig({ PUBLIC_URL: 'https://example.com:8443' }).publicUrl).toBe('https://example.com:8443');
});

it('reads the Gateway of zones with or without one of its listeners', () => {
  expect(loadConfig({}).ingressGateway).toBeUndefined();
  expect(loadConfig({ INGRESS_GATEWAY: 'edge/public' }).ingressGateway).toEqual({ namespace: 'edge', name: 'public' });
  expect(loadConfig({ INGRESS_GATEWAY: 'edge/public/https' }).ingressGateway).toMatchObject({ sectionName: 'https' });
  expect(() => loadConfig({ INGRESS_GATEWAY: 'public' })).toThrow('INGRESS_GATEWAY: must be <namespace>/<name>');
});

it('accepts passwords of everyone, or of platform admins only', () => {
  expect(loadConfig({}).passwordSignIn).toBe('everyone');
  expect(loadConfig({ PASSWORD_SIGN_IN: 'platform-admins' }).passwordSignIn).toBe('platform-admins');
  expect(() => loadConfig({ PASSWORD_SIGN_IN: 'off' })).toThrow('PASSWORD_SIGN_IN');
});

it('keeps the audit log for 400 days, or for AUDIT_RETENTION', () => {
  const dayMs = 24 * 60 * 60 * 1_000;
  expect(loadConfig({}).auditRetentionMs).toBe(400 * dayMs);
  expect(loadConfig({ AUDIT_RETENTION: '90' }).auditRetentionMs).toBe(90 * dayMs);
  for (const wrong of ['0', '29', '4000', '1y'])
    expect(() => loadConfig({ AUDIT_RETENTION: wrong })).toThrow('AUDIT_RETENTION');
});
