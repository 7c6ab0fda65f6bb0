import { serve } from '@hono/node-server';
import type { Logger } from 'pino';
import { createApp } from '../../api/app.ts';
import type { ZoneTelemetry } from '../integrations/telemetry/zone-telemetry.ts';
import type { Config } from '../config.ts';
import type { Connections } from './connect.ts';

/** Starts the API server; `stop` ends streams, lets running requests finish and closes. */
export async function startApi(
  config: Config,
  { store, blobs, codehost, models, temporal }: Connections,
  { log, version, telemetry }: { log: Logger; version: string; telemetry: ZoneTelemetry },
): Promise<{ stop(): Promise<void> }> {
  const closing = new AbortController();
  const app = createApp({
    store,
    temporal,
    codehost,
    blobs,
    models,
    telemetry,
    config: {
      publicUrl: config.publicUrl,
      codehostUrl: config.codehost.url,
      codehostApiUrl: config.codehost.apiUrl,
      zoneAddress: config.zoneAddress,
      domains: config.domains,
      version,
    },
    now: () => new Date(),
    log,
    closing: closing.signal,
  });
  const server = await new Promise<ReturnType<typeof serve>>((resolve, reject) => {
    const starting = serve({ fetch: app.fetch, port: config.port, hostname: config.host }, () => resolve(starting));
    starting.once('error', reject);
  });
  return {
    async stop() {
      closing.abort();
      const closed = new Promise((resolve) => server.close(resolve));
      if ('closeIdleConnections' in server) server.closeIdleConnections();
      const force = setTimeout(() => 'closeAllConnections' in server && server.closeAllConnections(), 2_000);
      await closed;
      clearTimeout(force);
    },
  };
}
