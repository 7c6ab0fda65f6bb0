import type { tracing } from '@opentelemetry/sdk-node';

/** The attributes that a collector may receive. None of them can contain a secret, a prompt or the content of a file. */
const publicAttributes = new Set([
  'attempt',
  'codehost.operation',
  'http.request.method',
  'http.response.status_code',
  'http.route',
  'org',
  'product',
  'release',
  'run',
  'run_id',
  'runId',
  'taskQueue',
  'temporalActivityId',
  'temporalWorkflowId',
  'workflowId',
  'workflowType',
  'zone',
]);

/** Returns a copy of a span without unlisted attributes and without messages of errors, which may quote content. */
export function toPublicSpan(span: tracing.ReadableSpan): tracing.ReadableSpan {
  const attributes = Object.fromEntries(Object.entries(span.attributes).filter(([name]) => publicAttributes.has(name)));
  const changes = { attributes, events: [], status: { code: span.status.code } };
  return Object.create(span, Object.getOwnPropertyDescriptors(changes)) as tracing.ReadableSpan;
}
