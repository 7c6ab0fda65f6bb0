import { context, propagation, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { NodeSDK, resources, tracing } from '@opentelemetry/sdk-node';
import { OpenTelemetryPlugin } from '@temporalio/interceptors-opentelemetry-v2';
import type { Tracing } from './start-tracing.ts';
import { toPublicSpan } from './to-public-span.ts';

/** Exports spans to the collector that the standard variables of OpenTelemetry name. */
export function openTracing(serviceName: string): Tracing {
  const resource = resources.resourceFromAttributes({ 'service.name': serviceName });
  const spanProcessor = withPublicSpans(new tracing.BatchSpanProcessor(new OTLPTraceExporter()));
  const sdk = new NodeSDK({
    resource,
    autoDetectResources: false,
    spanProcessors: [spanProcessor],
    metricReaders: [],
    logRecordProcessors: [],
    instrumentations: [],
  });
  sdk.start();
  return {
    plugin: new OpenTelemetryPlugin({ resource, spanProcessor }),
    tracer: trace.getTracer(serviceName),
    async stop() {
      await sdk.shutdown();
      // The next start in this process registers its own.
      for (const global of [trace, context, propagation]) global.disable();
    },
  };
}

/** The Temporal interceptors add memos, results and error messages of workflows to their spans. */
function withPublicSpans(processor: tracing.SpanProcessor): tracing.SpanProcessor {
  return {
    onStart: (span, context) => processor.onStart(span, context),
    onEnd: (span) => processor.onEnd(toPublicSpan(span)),
    forceFlush: async () => await processor.forceFlush(),
    shutdown: async () => await processor.shutdown(),
  };
}
