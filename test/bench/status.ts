// Measures the public status page at 200 requests a second for 30 seconds while the store is down. The baseline is the
// liveness probe of the same process, which does nothing, at the same rate.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { Agent, request } from 'undici';
import { quantile, type RequestResult, sendAtRate } from './intake-load.ts';
import { formatTable, isMissed, type Row } from './table.ts';

const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean' },
    seconds: { type: 'string', default: '30' },
    rate: { type: 'string', default: '200' },
  },
});
const perSecond = Number(options.rate);
const count = perSecond * Number(options.seconds);
const connections = new Agent({ connections: 64 });

const replica = fork(new URL('status-process.ts', import.meta.url), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
try {
  const [port] = (await once(replica, 'message')) as [number];
  const origin = `http://127.0.0.1:${port}`;
  const page = `${origin}/status/acme/shop`;
  await load(page);
  replica.send('close');
  await once(replica, 'message');
  const store = await load(`${origin}/readyz?exclude=workflows`);
  if (store.status !== 503) throw new Error(`The store is not down: readiness responds ${store.status}.`);
  process.stderr.write(`The store is down. Reading the page ${count} times…\n`);
  const pages = await sendAtRate(perSecond, count, async () => await load(page));
  const probes = await sendAtRate(perSecond, count, async () => await load(`${origin}/livez`));
  report(pages, probes);
} finally {
  replica.kill();
  await connections.close();
}

/** Reads a page as a browser of a stranger does; a connection error counts as status 0. */
async function load(url: string): Promise<RequestResult> {
  const startedAt = performance.now();
  const headers = { accept: 'text/html', 'accept-encoding': 'gzip' };
  const status = await request(url, { headers, dispatcher: connections }).then(
    async (response) => {
      await response.body.dump();
      return response.statusCode;
    },
    () => 0,
  );
  return { status, durationMs: performance.now() - startedAt };
}

function report(pages: RequestResult[], probes: RequestResult[]): void {
  const toServed = (results: RequestResult[]): number => results.filter(({ status }) => status === 200).length;
  const rows: Row[] = [
    { what: 'served with 200', service: toServed(pages), baseline: toServed(probes), unit: '', atLeast: count },
    { what: 'p50', service: quantile(pages, 0.5), baseline: quantile(probes, 0.5), unit: 'ms' },
    { what: 'p99', service: quantile(pages, 0.99), baseline: quantile(probes, 0.99), unit: 'ms' },
  ];
  process.stdout.write(options.json ? `${JSON.stringify(rows)}\n` : formatTable(rows));
  process.exitCode = rows.some(isMissed) ? 1 : 0;
}
