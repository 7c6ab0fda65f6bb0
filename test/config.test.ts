import { expect, it } from 'vitest';
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
  expect(() => loadConfig({ TEMPORAL_TLS_CLIENT_KEY_PATH: '/k' })).toThrow(/TEMPORAL_TLS_CLIENT_CERT_PATH/);
});
