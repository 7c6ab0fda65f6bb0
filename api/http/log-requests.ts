import type { Context } from 'hono';
import { routePath } from 'hono/route';
import { defined } from '../../src/defined.ts';
import type { ApiDeps, ApiEnv, App } from '../deps.ts';

/** Orchestrators ask every few seconds, and the answers tell nothing that the metrics do not. */
const probePaths = new Set(['/livez', '/readyz', '/healthz']);

/** A name of a run in the path is logged only in this form, because a caller may put any text there. */
const resourceName = /^[a-z0-9]([-a-z0-9]{0,251}[a-z0-9])?$/;

/**
 * Logs one line per request, when its headers are sent. It contains no text that a caller chose, except the names of an
 * org that exists and of its runs: paths, queries, headers and bodies can contain secrets.
 */
export function logRequests(app: App, { log }: Pick<ApiDeps, 'log'>): void {
  app.use(async (c, next) => {
    if (probePaths.has(c.req.path)) return await next();
    const start = performance.now();
    await next();
    const durationMs = Math.round((performance.now() - start) * 10) / 10;
    log[chooseLevel(c)]({ ...describeRequest(c), durationMs }, 'Request');
  });
}

/** Strangers could fill the log with requests that are refused, and a page of the UI reads every few seconds. */
function chooseLevel(c: Context<ApiEnv>): 'debug' | 'info' | 'warn' {
  const { status } = c.res;
  if (status >= 500) return 'warn';
  if (status >= 400) return identifyCaller(c) === 'anonymous' ? 'debug' : 'info';
  return c.req.method === 'GET' || c.req.method === 'HEAD' || c.req.method === 'OPTIONS' ? 'debug' : 'info';
}

function describeRequest(c: Context<ApiEnv>): object {
  return defined({
    requestId: c.get('requestId'),
    method: c.req.method,
    route: routePath(c, -1),
    status: c.res.status,
    org: c.get('knownOrg'),
    run: findRun(c),
    caller: identifyCaller(c),
  });
}

const identifyCaller = (c: Context<ApiEnv>): string => c.get('caller')?.via ?? c.get('otherCaller') ?? 'anonymous';

/** Returns the run that the path names, or that the request created. */
function findRun(c: Context<ApiEnv>): string | undefined {
  if (c.get('knownOrg') === undefined || c.res.status === 404 || c.res.status === 422) return undefined;
  const created = /\/agentworkflowruns\/([^/]+)$/.exec(c.res.headers.get('Location') ?? '')?.[1];
  const run = created ?? c.req.param('run');
  return run !== undefined && resourceName.test(run) ? run : undefined;
}
