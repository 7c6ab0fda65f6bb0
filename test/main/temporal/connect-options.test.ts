import { join } from 'node:path';
import { NativeConnection, TransportError } from '@temporalio/worker';
import { expect, inject, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../../src/config.ts';
import { connectOptions } from '../../../src/main/temporal/connect-options.ts';
import { scratchFolder } from '../../support/programs.ts';
import { startAuthority, startTemporalGate } from '../../support/temporal-gate.ts';
import { describeWithTemporal } from '../../support/temporal-client.ts';

async function aGate(apiKey?: string) {
  const folder = await scratchFolder();
  const authority = await startAuthority(join(folder, 'authority'));
  const gate = await startTemporalGate({ to: inject('temporalAddress') ?? '', authority, ...(apiKey && { apiKey }) });
  onTestFinished(async () => await gate.close());
  const ours = await authority.issue('delivery');
  const environment = {
    TEMPORAL_ADDRESS: gate.address,
    TEMPORAL_TLS_SERVER_NAME: 'temporal.test',
    TEMPORAL_TLS_SERVER_CA_CERT_PATH: authority.file,
    TEMPORAL_TLS_CLIENT_CERT_PATH: ours.certificate,
    TEMPORAL_TLS_CLIENT_KEY_PATH: ours.key,
  };
  return { folder, environment };
}

async function reach(environment: Record<string, string>): Promise<string> {
  const connection = await NativeConnection.connect(await connectOptions(loadConfig(environment).temporal));
  try {
    const { serverVersion } = await connection.workflowService.getSystemInfo({});
    return serverVersion;
  } finally {
    await connection.close();
  }
}

describeWithTemporal('a server behind TLS', () => {
  it('is reached with a certificate that its authority has issued', async () => {
    const { environment } = await aGate();
    expect(await reach(environment)).toMatch(/^\d+\.\d+/);
  });

  it('is not reached without one, nor with that of somebody else', async () => {
    const { folder, environment } = await aGate();
    const { TEMPORAL_TLS_CLIENT_CERT_PATH: _, TEMPORAL_TLS_CLIENT_KEY_PATH: __, ...without } = environment;
    await expect(reach(without)).rejects.toThrow(TransportError);
    const stranger = await (await startAuthority(join(folder, 'stranger'))).issue('delivery');
    const wrong = {
      TEMPORAL_TLS_CLIENT_CERT_PATH: stranger.certificate,
      TEMPORAL_TLS_CLIENT_KEY_PATH: stranger.key,
    };
    await expect(reach({ ...environment, ...wrong })).rejects.toThrow(TransportError);
  });

  it('is not believed to be who it is not', async () => {
    const { folder, environment } = await aGate();
    const stranger = await startAuthority(join(folder, 'stranger'));
    await expect(reach({ ...environment, TEMPORAL_TLS_SERVER_CA_CERT_PATH: stranger.file })).rejects.toThrow(
      TransportError,
    );
    await expect(reach({ ...environment, TEMPORAL_TLS_SERVER_NAME: 'other.test' })).rejects.toThrow(TransportError);
  });

  it('is shown the API key with every call', async () => {
    const { environment } = await aGate('key-of-ours');
    expect(await reach({ ...environment, TEMPORAL_API_KEY: 'key-of-ours' })).toMatch(/^\d+\.\d+/);
    await expect(reach({ ...environment, TEMPORAL_API_KEY: 'another' })).rejects.toThrow(TransportError);
  });
});

it('says which file it cannot read', async () => {
  const { temporal } = loadConfig({ TEMPORAL_TLS_SERVER_CA_CERT_PATH: '/nowhere.pem' });
  await expect(connectOptions(temporal)).rejects.toThrow(/TEMPORAL_TLS_SERVER_CA_CERT_PATH.*nowhere/);
});
