import { prometheus } from '@hono/prometheus';
import type { Registry } from 'prom-client';
import type { App } from '../deps.ts';

/** Counts and times every request. */
export function countRequests(app: App, registry: Registry | undefined): void {
  if (registry) app.use(prometheus({ registry }).registerMetrics);
}

/** Serves the metrics of a process, which tell about all orgs; only the port for operators mounts it. */
export function serveMetrics(app: App, registry: Registry): void {
  app.get('/metrics', async (c) => c.text(await registry.metrics()));
}
