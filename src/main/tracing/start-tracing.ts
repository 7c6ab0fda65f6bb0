import type { Tracer } from '@opentelemetry/api';
import type { OpenTelemetryPlugin } from '@temporalio/interceptors-opentelemetry-v2';

export type Tracing = {
  /** Traces Temporal clients, workers and workflows. */
  plugin: OpenTelemetryPlugin;
  /** Traces requests to the API. */
  tracer: Tracer;
  /** Sends the remaining spans. */
  stop(): Promise<void>;
};

type Environment = Record<string, string | undefined>;

/** Tells whether an operator has named a collector, with the standard variables of OpenTelemetry. */
export function isTracingEnabled(environment: Environment): boolean {
  if (environment['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return false;
  if (environment['OTEL_TRACES_EXPORTER'] === 'none') return false;
  return Boolean(environment['OTEL_EXPORTER_OTLP_ENDPOINT'] || environment['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']);
}

/** Starts to export spans, or returns undefined when no collector is named. */
export async function startTracing(environment: Environment, serviceName: string): Promise<Tracing | undefined> {
  if (!isTracingEnabled(environment)) return undefined;
  // The library is slow to load, and processes without a collector do not need it.
  const { openTracing } = await import('./open-tracing.ts');
  return openTracing(environment['OTEL_SERVICE_NAME'] ?? serviceName);
}
