import type { Context } from 'hono';
import type { ApiDeps, App } from '../deps.ts';
import { checkDependencies, type DependencyHealth } from './check-dependencies.ts';

/** Shorter than the usual probe timeout of one second. */
const timeoutMs = 800;

export type ProbeDeps = Pick<ApiDeps, 'store' | 'temporal' | 'stopSignal'>;

/** Serves the liveness and readiness probes of orchestrators and load balancers. */
export function probes(app: App, deps: ProbeDeps): void {
  app.get('/livez', (c) => c.text('ok'));
  app.get('/readyz', async (c) => respondReadiness(c, deps));
  app.get('/healthz', async (c) => respondReadiness(c, deps));
}

async function respondReadiness(c: Context, deps: ProbeDeps): Promise<Response> {
  const health = await checkDependencies(deps, timeoutMs);
  const isStopping = deps.stopSignal?.aborted ?? false;
  // `?exclude=` works as in the probes of the Kubernetes API server: a replica can serve reads without the workflow server.
  const excluded = new Set(c.req.queries('exclude'));
  const ok = (health.store || excluded.has('store')) && (health.workflows || excluded.has('workflows')) && !isStopping;
  const text = c.req.query('verbose') === undefined ? (ok ? 'ok' : 'not ready') : formatDetails(health, isStopping);
  return c.text(text, ok ? 200 : 503);
}

function formatDetails(health: DependencyHealth, isStopping: boolean): string {
  const line = (check: string, ok: boolean): string => `[${ok ? '+' : '-'}] ${check} ${ok ? 'ok' : 'failed'}`;
  return [line('store', health.store), line('workflows', health.workflows), line('accepting', !isStopping)].join('\n');
}
