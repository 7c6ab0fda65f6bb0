import { prometheus } from '@hono/prometheus';
import type { ApiDeps, App } from './deps.ts';

/** Counts and times every request; told under `/metrics` where nobody else tells it. */
export function metrics(app: App, { metrics: given }: Pick<ApiDeps, 'metrics'>): void {
  if (!given) return;
  const { registerMetrics } = prometheus({ registry: given.registry });
  app.use(registerMetrics);
  if (given.isServed) app.get('/metrics', async (c) => c.text(await given.registry.metrics()));
}
