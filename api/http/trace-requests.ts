import {
  type Attributes,
  context,
  type Link,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api';
import type { Context } from 'hono';
import { routePath } from 'hono/route';
import type { ApiEnv, App } from '../deps.ts';

const resourceParameters = ['org', 'product', 'release', 'run', 'zone'] as const;

/**
 * Records one span per request. A caller's `traceparent` is linked and never continued: a stranger could otherwise
 * decide what is sampled, and join the traces of another org.
 */
export function traceRequests(app: App, tracer: Tracer | undefined): void {
  if (!tracer) return;
  app.use(async (c, next) => {
    const options = { kind: SpanKind.SERVER, links: linkCaller(c.req.header('traceparent')) };
    const span = tracer.startSpan(c.req.method, options, ROOT_CONTEXT);
    try {
      await context.with(trace.setSpan(ROOT_CONTEXT, span), next);
      span.updateName(`${c.req.method} ${routePath(c, -1)}`);
      span.setAttributes(describeRequest(c));
      if (c.res.status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
    } finally {
      span.end();
    }
  });
}

function linkCaller(traceparent: string | undefined): Link[] {
  if (traceparent === undefined) return [];
  const caller = trace.getSpanContext(propagation.extract(ROOT_CONTEXT, { traceparent }));
  return caller === undefined ? [] : [{ context: caller }];
}

function describeRequest(c: Context<ApiEnv>): Attributes {
  // A refused path is any text of a stranger; only an accepted one names resources.
  const names = c.res.status < 400 ? resourceParameters : [];
  const params = c.req.param();
  return {
    ...Object.fromEntries(
      names.flatMap((name): [string, string][] => (params[name] === undefined ? [] : [[name, params[name]]])),
    ),
    'http.request.method': c.req.method,
    'http.route': routePath(c, -1),
    'http.response.status_code': c.res.status,
  };
}
