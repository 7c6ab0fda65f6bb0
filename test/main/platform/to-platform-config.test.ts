import { expect, it } from 'vitest';
import { assignPlatformPorts } from '../../../src/main/platform/platform-ports.ts';
import { localBaseDomain, toPlatformConfig } from '../../../src/main/platform/to-platform-config.ts';

const addresses = {
  folder: '/data',
  ports: assignPlatformPorts(9000),
  temporal: {
    address: '127.0.0.1:9004',
    credentials: { caPath: '/data/ca.pem', certificatePath: '/data/client.pem', keyPath: '/data/client.key' },
  },
  codehost: { url: 'http://localhost:9002', apiUrl: 'http://localhost:9002/api/v3', userToken: 'token' },
  modelUrl: 'http://127.0.0.1:9005/v1',
};

it('points the service to the embedded servers', () => {
  const config = toPlatformConfig({ PORT: '1', MODEL_NAME: 'ignored' }, addresses);
  expect(config).toMatchObject({
    port: 9000,
    dataDir: '/data',
    temporal: {
      address: '127.0.0.1:9004',
      tls: { caPath: '/data/ca.pem', certificatePath: '/data/client.pem', keyPath: '/data/client.key' },
    },
    codehost: { url: 'http://localhost:9002', throttle: false },
    model: { baseUrl: 'http://127.0.0.1:9005/v1', name: 'scripted' },
    domains: { managedBaseDomains: [localBaseDomain], platformDomain: 'localhost' },
  });
  expect(config.zoneAddress('hello-rc')).toBe('http://hello-rc.localhost:9001');
});

it('uses the namespace of an embedded Temporal server, and otherwise that of the environment', () => {
  const environment = { TEMPORAL_NAMESPACE: 'mine' };
  const embedded = { ...addresses.temporal, namespace: 'default' };
  expect(toPlatformConfig(environment, { ...addresses, temporal: embedded }).temporal.namespace).toBe('default');
  const other = { address: '127.0.0.1:7233' };
  expect(toPlatformConfig(environment, { ...addresses, temporal: other }).temporal.namespace).toBe('mine');
});

it('keeps the operator’s own model and base domains', () => {
  const environment = { MODEL_BASE_URL: 'https://models.test/v1', MANAGED_BASE_DOMAINS: 'apps.test' };
  const config = toPlatformConfig(environment, { ...addresses, modelUrl: undefined });
  expect(config.model?.baseUrl).toBe('https://models.test/v1');
  expect(config.domains.managedBaseDomains).toEqual(['apps.test']);
  expect(config.dns.zoneServers).toEqual([]);
});
