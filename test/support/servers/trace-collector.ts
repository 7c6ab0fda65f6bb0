import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import protobuf from 'protobufjs';

/** The part of the OpenTelemetry protocol that tells a tree of spans. */
const { root } = protobuf.parse(`
  syntax = "proto3";
  message Traces { repeated ResourceSpans resource_spans = 1; }
  message ResourceSpans { repeated ScopeSpans scope_spans = 2; }
  message ScopeSpans { repeated Span spans = 2; }
  message Span { bytes trace_id = 1; bytes span_id = 2; bytes parent_span_id = 4; string name = 5; }
`);

type Message = {
  resourceSpans?: {
    scopeSpans?: { spans?: { name: string; traceId: string; spanId: string; parentSpanId?: string }[] }[];
  }[];
};
export type Span = { name: string; trace: string; id: string; parent: string };

/** Starts a server that receives spans as a collector does. */
export async function startTraceCollector(): Promise<{ endpoint: string; spans: Span[]; close(): Promise<void> }> {
  const spans: Span[] = [];
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>));
    const decoded = root.lookupType('Traces').toObject(root.lookupType('Traces').decode(body), { bytes: String });
    for (const { scopeSpans = [] } of (decoded as Message).resourceSpans ?? [])
      for (const span of scopeSpans.flatMap((scope) => scope.spans ?? []))
        spans.push({ name: span.name, trace: span.traceId, id: span.spanId, parent: span.parentSpanId ?? '' });
    response.end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
