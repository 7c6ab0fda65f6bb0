import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { it } from 'vitest';
import { ensureGoModule } from '../../../src/main/tools/install/ensure-go-module.ts';
import { toolCacheDir } from '../../../src/main/tools/tool.ts';
import { startProgram } from '../../cluster/control-plane/start-program.ts';
import { reservePort } from './reserve-ports.ts';

const otelCollector = {
  folder: fileURLToPath(new URL('otel-collector', import.meta.url)),
  name: 'otel-collector',
  label: 'an OpenTelemetry collector for tests',
  expectedDuration: '1 to 2 minutes',
};
const { env } = process;
const onProgress = (message: string) => void process.stderr.write(`${message}\n`);
const found = await ensureGoModule(otelCollector, { cacheDir: toolCacheDir(env), env, onProgress });
if ('missing' in found && env['CI']) throw new Error(found.missing);
if ('missing' in found) process.stderr.write(`\nSKIPPING TESTS OF TRACES. ${found.missing}\n\n`);

/** Tests with a real OpenTelemetry collector, and skips the test with a warning when none is available. */
export const itWithCollector = 'missing' in found ? it.skip : it;

export type Span = { name: string; trace: string; id: string; parent: string; service: string };

/** The collector writes each batch that it receives as a line of JSON in the OpenTelemetry protocol. */
type Batch = {
  resourceSpans: {
    resource: { attributes: { key: string; value: { stringValue?: string } }[] };
    scopeSpans: { spans: { name: string; traceId: string; spanId: string; parentSpanId?: string }[] }[];
  }[];
};

/** Starts an OpenTelemetry collector on loopback; `readSpans` returns all spans that it has received. */
export async function startOtelCollector(): Promise<{
  endpoint: string;
  readSpans(): Promise<Span[]>;
  stop(): Promise<void>;
}> {
  if ('missing' in found) throw new Error(found.missing);
  const folder = await mkdtemp(join(tmpdir(), 'otel-collector-'));
  const spansFile = join(folder, 'spans.jsonl');
  const endpoint = `http://127.0.0.1:${await reservePort()}`;
  const configuration = {
    receivers: { otlp: { protocols: { http: { endpoint: new URL(endpoint).host } } } },
    exporters: { file: { path: spansFile, flush_interval: '100ms' } },
    service: { pipelines: { traces: { receivers: ['otlp'], exporters: ['file'] } } },
  };
  // The collector reads YAML, and JSON is valid YAML.
  const configurationFile = join(folder, 'collector.yaml');
  await writeFile(configurationFile, JSON.stringify(configuration));
  const program = { executable: found.path, flags: { config: configurationFile } };
  const running = await startProgram('The OpenTelemetry collector', program, join(folder, 'log'));
  // The receiver answers every GET with 405.
  await running.waitUntilReady(async () => (await fetch(`${endpoint}/v1/traces`)).status === 405);
  return {
    endpoint,
    async readSpans() {
      // The last line may be incomplete.
      const lines = (await readFile(spansFile, 'utf8').catch(() => '')).split('\n').slice(0, -1);
      return lines.flatMap((line) => toSpans(JSON.parse(line) as Batch));
    },
    async stop() {
      await running.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const toSpans = ({ resourceSpans }: Batch): Span[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? '';
    return scopeSpans
      .flatMap(({ spans }) => spans)
      .map(({ name, traceId, spanId, parentSpanId = '' }) => ({
        name,
        trace: traceId,
        id: spanId,
        parent: parentSpanId,
        service,
      }));
  });
