import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { ApiDeps } from '../../api/deps.ts';
import { createApp } from '../../api/app.ts';
import type { ZoneTelemetry } from '../integrations/telemetry/zone-telemetry.ts';
import type { Config } from '../config.ts';
import type { Connections } from './connect.ts';
import { listen } from './listen.ts';
import { takeUp } from './take-up.ts';

/** Longer than any answer takes that somebody waits for. */
const drainMs = 25_000;

type Surroundings = {
  log: Logger;
  version: string;
  telemetry: ZoneTelemetry;
  registry: Registry;
};

/** Starts the API server; `stop` ends streams, lets running requests finish and closes. */
export async function startApi(
  config: Config,
  { store, blobs, codehost, models, temporal }: Connections,
  { log, version, telemetry, registry }: Surroundings,
): Promise<{ stop(): Promise<void> }> {
  const closing = new AbortController();
  const deps: ApiDeps = {
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
      workloadClusters: config.workloadClusters,
      version,
    },
    now: () => new Date(),
    log,
    closing: closing.signal,
    metrics: { registry, isServed: config.metricsPort === undefined },
  };
  const app = createApp(deps);
  const listening = await listen(app, config);
  // Nobody else writes into the file of one machine.
  const takingUp = config.store === 'kubernetes' ? takeUp(deps, closing.signal) : undefined;
  return {
    async stop() {
      closing.abort();
      await takingUp;
      // Whoever routes to this process sees that it is not ready, before it turns anybody away.
      await sleep(config.stopDelaySeconds * 1_000);
      await listening.stop(drainMs);
    },
  };
}
