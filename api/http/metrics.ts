import type { Context } from 'hono';
import { routePath } from 'hono/route';
import { Gauge, Histogram, type Registry } from 'prom-client';
import type { ApiEnv, App } from '../deps.ts';

/**
 * Times every request until its headers are sent, because the body of an event stream does not end. The route is a
 * template, and unknown paths share one, so that callers cannot create series.
 */
export function measureRequests(app: App, registry: Registry | undefined): void {
  if (!registry) return;
  const registers = [registry];
  const inProgress = new Gauge({
    name: 'delivery_http_requests_in_progress',
    help: 'HTTP requests whose response has not begun',
    registers,
  });
  const duration = new Histogram({
    name: 'delivery_http_request_duration_seconds',
    help: 'Time from the headers of a request to the headers of its response',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  });
  app.use(async (c, next) => {
    const stop = duration.startTimer();
    inProgress.inc();
    try {
      await next();
    } finally {
      inProgress.dec();
      stop(describeRequest(c));
    }
  });
}

const describeRequest = (c: Context<ApiEnv>): { method: string; route: string; status: number } => ({
  method: c.req.method,
  route: routePath(c, -1),
  status: c.res.status,
});

/** Serves the metrics of a process, which tell about all orgs; only the port for operators mounts it. */
export function serveMetrics(app: App, registry: Registry): void {
  app.get('/metrics', async (c) => c.text(await registry.metrics()));
}
