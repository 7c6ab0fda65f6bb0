import { join } from 'node:path';
import { NativeConnection, TransportError } from '@temporalio/worker';
import { expect, inject, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../../src/config.ts';
import { loadConnectionOptions } from '../../../src/main/temporal/load-connection-options.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';
import { createCertificateAuthority, startTemporalTlsProxy } from '../../support/servers/temporal-tls-proxy.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';

async function startProxy(apiKey?: string) {
  const folder = await createScratchFolder();
  const authority = await createCertificateAuthority(join(folder, 'authority'));
  const proxy = await startTemporalTlsProxy({
    targetAddress: inject('temporalAddress') ?? '',
    authority,
    ...(apiKey && { apiKey }),
  });
  onTestFinished(async () => await proxy.close());
  const client = await authority.issue('delivery');
  const environment = {
    TEMPORAL_ADDRESS: proxy.address,
    TEMPORAL_TLS_SERVER_NAME: 'temporal.test',
    TEMPORAL_TLS_SERVER_CA_CERT_PATH: authority.file,
    TEMPORAL_TLS_CLIENT_CERT_PATH: client.certificate,
    TEMPORAL_TLS_CLIENT_KEY_PATH: client.key,
  };
  return { folder, environment };
}

async function readServerVersion(environment: Record<string, string>): Promise<string> {
  const connection = await NativeConnection.connect(await loadConnectionOptions(loadConfig(environment).temporal));
  try {
    const { serverVersion } = await connection.workflowService.getSystemInfo({});
    return serverVersion;
  } finally {
    await connection.close();
  }
}

describeWithTemporal('a server behind TLS', () => {
  it('accepts a client certificate of its authority', async () => {
    const { environment } = await startProxy();
    expect(await readServerVersion(environment)).toMatch(/^\d+\.\d+/);
  });

  it('rejects a connection without a certificate or with one of another authority', async () => {
    const { folder, environment } = await startProxy();
    const { TEMPORAL_TLS_CLIENT_CERT_PATH: _, TEMPORAL_TLS_CLIENT_KEY_PATH: __, ...without } = environment;
    await expect(readServerVersion(without)).rejects.toThrow(TransportError);
    const stranger = await (await createCertificateAuthority(join(folder, 'stranger'))).issue('delivery');
    const wrong = {
      TEMPORAL_TLS_CLIENT_CERT_PATH: stranger.certificate,
      TEMPORAL_TLS_CLIENT_KEY_PATH: stranger.key,
    };
    await expect(readServerVersion({ ...environment, ...wrong })).rejects.toThrow(TransportError);
  });

  it('is rejected when its own certificate does not match', async () => {
    const { folder, environment } = await startProxy();
    const stranger = await createCertificateAuthority(join(folder, 'stranger'));
    await expect(
      readServerVersion({ ...environment, TEMPORAL_TLS_SERVER_CA_CERT_PATH: stranger.file }),
    ).rejects.toThrow(TransportError);
    await expect(readServerVersion({ ...environment, TEMPORAL_TLS_SERVER_NAME: 'other.test' })).rejects.toThrow(
      TransportError,
    );
  });

  it('receives the API key with every call', async () => {
    const { environment } = await startProxy('valid-key');
    expect(await readServerVersion({ ...environment, TEMPORAL_API_KEY: 'valid-key' })).toMatch(/^\d+\.\d+/);
    await expect(readServerVersion({ ...environment, TEMPORAL_API_KEY: 'another' })).rejects.toThrow(TransportError);
  });
});

it('names the file that cannot be read', async () => {
  const { temporal } = loadConfig({ TEMPORAL_TLS_SERVER_CA_CERT_PATH: '/missing.pem' });
  await expect(loadConnectionOptions(temporal)).rejects.toThrow(/TEMPORAL_TLS_SERVER_CA_CERT_PATH.*missing/);
});
