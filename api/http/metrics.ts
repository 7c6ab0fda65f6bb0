import { prometheus } from '@hono/prometheus';
import type { ApiDeps, App } from '../deps.ts';

/** Counts and times every request; serves `/metrics` unless a separate port does. */
export function metrics(app: App, { metrics: settings }: Pick<ApiDeps, 'metrics'>): void {
  if (!settings) return;
  const { registerMetrics } = prometheus({ registry: settings.registry });
  app.use(registerMetrics);
  if (settings.isServed) app.get('/metrics', async (c) => c.text(await settings.registry.metrics()));
}
