import { expect, inject, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../../src/config.ts';
import { connectToTemporal } from '../../../src/main/temporal/connect-to-temporal.ts';
import { reservePort } from '../../support/servers/reserve-ports.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';

const address = inject('temporalAddress') ?? '';

describeWithTemporal('connectToTemporal', () => {
  it('connects to the namespace of the configuration', async () => {
    const connection = await connectToTemporal(loadConfig({ TEMPORAL_ADDRESS: address }).temporal);
    onTestFinished(() => connection.close());
    expect((await connection.workflowService.getSystemInfo({})).serverVersion).toMatch(/^1\./);
  });

  it('rejects a namespace that the server does not have, because no run could start', async () => {
    const { temporal } = loadConfig({ TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: 'misspelled' });
    await expect(connectToTemporal(temporal)).rejects.toThrow(
      `The Temporal server at ${address} has no namespace "misspelled". Create it, or set TEMPORAL_NAMESPACE.`,
    );
  });

  it('names the settings when there is no server', async () => {
    const unused = `127.0.0.1:${await reservePort()}`;
    await expect(connectToTemporal(loadConfig({ TEMPORAL_ADDRESS: unused }).temporal)).rejects.toThrow(
      `The Temporal server at ${unused} does not accept the connection. Check TEMPORAL_ADDRESS, TEMPORAL_API_KEY and the TEMPORAL_TLS_… variables (`,
    );
  });
});
