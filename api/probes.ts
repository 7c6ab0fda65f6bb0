import type { Context } from 'hono';
import type { ApiDeps, App } from './deps.ts';
import { checkParts, type Parts } from './installation/check-parts.ts';

export type ProbeDeps = Pick<ApiDeps, 'store' | 'temporal' | 'closing'>;

/** For whoever starts, stops and routes to this process: alive, and able to do its work. */
export function probes(app: App, deps: ProbeDeps): void {
  app.get('/livez', (c) => c.text('ok'));
  app.get('/readyz', async (c) => ready(c, deps));
  app.get('/healthz', async (c) => ready(c, deps));
}

async function ready(c: Context, deps: ProbeDeps): Promise<Response> {
  const parts = await checkParts(deps);
  const stopping = deps.closing?.aborted ?? false;
  // As a cluster's own probes: what can be done without a part is no reason to be sent nobody.
  const excluded = new Set(c.req.queries('exclude'));
  const ok = (parts.store || excluded.has('store')) && (parts.workflows || excluded.has('workflows')) && !stopping;
  const text = c.req.query('verbose') === undefined ? (ok ? 'ok' : 'not ready') : details(parts, stopping);
  return c.text(text, ok ? 200 : 503);
}

function details(parts: Parts, stopping: boolean): string {
  const line = (what: string, ok: boolean): string => `[${ok ? '+' : '-'}] ${what} ${ok ? 'ok' : 'failed'}`;
  return [line('store', parts.store), line('workflows', parts.workflows), line('accepting', !stopping)].join('\n');
}
