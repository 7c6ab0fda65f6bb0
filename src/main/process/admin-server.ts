import { OpenAPIHono } from '@hono/zod-openapi';
import type { Registry } from 'prom-client';
import type { ApiEnv } from '../../../api/deps.ts';
import { serveMetrics } from '../../../api/http/metrics.ts';
import { probes, type ProbeDeps } from '../../../api/installation/probes.ts';
import { startHttpServer } from './start-http-server.ts';

/** Serves the probes and metrics of a process on a separate port. */
export async function startAdminServer(
  deps: ProbeDeps & { registry: Registry },
  { port, host, configuredBy }: { port: number; host: string; configuredBy: 'PORT' | 'METRICS_PORT' },
): Promise<{ stop(): Promise<void> }> {
  const app = new OpenAPIHono<ApiEnv>();
  probes(app, deps);
  serveMetrics(app, deps.registry);
  const server = await startHttpServer(app, { port, host, purpose: 'probes and metrics', configuredBy });
  return { stop: async () => await server.stop(0) };
}
