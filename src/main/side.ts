import { OpenAPIHono } from '@hono/zod-openapi';
import type { Registry } from 'prom-client';
import type { ApiEnv } from '../../api/deps.ts';
import { metrics } from '../../api/metrics.ts';
import { probes, type ProbeDeps } from '../../api/probes.ts';
import { listen } from './listen.ts';

/** Probes and metrics of a process on a port of their own. */
export async function startSide(
  deps: ProbeDeps & { registry: Registry },
  { port, host }: { port: number; host: string },
): Promise<{ stop(): Promise<void> }> {
  const app = new OpenAPIHono<ApiEnv>();
  probes(app, deps);
  metrics(app, { metrics: { registry: deps.registry, isServed: true } });
  const listening = await listen(app, { port, host });
  return { stop: async () => await listening.stop(0) };
}
