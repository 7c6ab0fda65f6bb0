// Measures event streams with a thousand clients on one API process: memory of each, CPU while nothing happens, and the
// time until a change has reached all. The baseline is a plain Node server that sends as many bytes to as many clients.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { reservePort } from '../support/servers/reserve-ports.ts';
import { readCpuTimes } from './cpu.ts';
import { formatTable, type Row } from './table.ts';

const { values: options } = parseArgs({
  options: { json: { type: 'boolean' }, clients: { type: 'string', default: '1000' } },
});
const clients = Number(options.clients);
const changes = 20;
const idleMs = 30_000;
const topics = 'waiting,products:acme,agentworkflowruns:acme,releases:acme,zones:acme';
const isTerminal = process.stderr.isTTY;
const logProgress = (message: string) => void process.stderr.write(isTerminal ? `\r\x1b[K${message}` : `${message}\n`);

type Server = { child: ChildProcess; lines: Interface; url: string; tokens: string[] };
type Figures = { bytesPerClient: number; idleCpu: number; half: number[]; last: number[]; eventBytes: number };

const folder = await mkdtemp(join(tmpdir(), 'bench-'));
try {
  const service = await measure('the API', 'stream-api-process.ts', (port) => [
    join(folder, 'store.sqlite'),
    port,
    options.clients,
  ]);
  const baseline = await measure('a plain server', 'stream-baseline-process.ts', (port) => [
    port,
    String(service.eventBytes),
  ]);
  logProgress('');
  const row = (what: string, unit: Row['unit'], read: (figures: Figures) => number): Row => ({
    what,
    service: read(service),
    baseline: read(baseline),
    unit,
  });
  const rows = [
    row('memory of each client', 'kB', ({ bytesPerClient }) => bytesPerClient / 1024),
    row('CPU while nothing happens', '%', ({ idleCpu }) => idleCpu * 100),
    row('a change reaches half of the clients, p50', 'ms', ({ half }) => percentile(half, 0.5)),
    row('a change reaches all clients, p50', 'ms', ({ last }) => percentile(last, 0.5)),
    row('a change reaches all clients, p95', 'ms', ({ last }) => percentile(last, 0.95)),
  ];
  process.stdout.write(
    options.json
      ? `${JSON.stringify({ clients, rows })}\n`
      : `${clients} clients, ${service.eventBytes} bytes an event\n${formatTable(rows)}`,
  );
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

async function measure(what: string, program: string, toArgs: (port: string) => string[]): Promise<Figures> {
  logProgress(`Starting ${what}…`);
  const server = await startServer(program, toArgs);
  const { pid = 0 } = server.child;
  try {
    const emptyBytes = await readMemory(pid);
    const arrivals: number[][] = [];
    let eventBytes = 0;
    const onEvent = (client: number, text: string): void => {
      arrivals[client]?.push(performance.timeOrigin + performance.now());
      eventBytes = Math.max(eventBytes, text.length);
    };
    for (let first = 0; first < clients; first += 50) {
      logProgress(`Connecting to ${what}: ${first} of ${clients}…`);
      const batch = Array.from({ length: Math.min(50, clients - first) }, (_, index) => first + index);
      for (const client of batch) arrivals[client] = [];
      await Promise.all(batch.map(async (client) => await openStream(server, client, onEvent)));
    }
    await pause(5_000);
    const bytesPerClient = ((await readMemory(pid)) - emptyBytes) / clients;
    logProgress(`${what}: nothing happens for ${idleMs / 1000} s…`);
    const before = await readCpuTimes(pid);
    await pause(idleMs);
    const idleCpu = ((await readCpuTimes(pid)).server - before.server) / idleMs;
    const [half, last] = [[], []] as [number[], number[]];
    for (let change = 1; change <= changes; change += 1) {
      logProgress(`${what}: change ${change} of ${changes}…`);
      for (const times of arrivals) times.length = 0;
      const sent = once(server.lines, 'line') as Promise<[string]>;
      server.child.stdin?.write('change\n');
      const [sentAt] = await sent;
      while (arrivals.some((times) => times.length === 0)) await pause(5);
      const delays = arrivals.map(([at = Number.NaN]) => at - Number(sentAt));
      half.push(percentile(delays, 0.5));
      last.push(Math.max(...delays));
    }
    return { bytesPerClient, idleCpu, half, last, eventBytes };
  } finally {
    server.child.kill('SIGKILL');
  }
}

async function startServer(program: string, toArgs: (port: string) => string[]): Promise<Server> {
  const port = await reservePort();
  const file = resolve(import.meta.dirname, program);
  const child = spawn(process.execPath, [file, ...toArgs(String(port))], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  const [tokens] = (await once(lines, 'line')) as [string];
  return { child, lines, url: `http://127.0.0.1:${port}`, tokens: JSON.parse(tokens) as string[] };
}

type OnEvent = (client: number, text: string) => void;

/** Resolves when the stream has sent its first event. Counts an event when its end has arrived. */
async function openStream({ url, tokens }: Server, client: number, onEvent: OnEvent): Promise<void> {
  const headers = { Authorization: `Bearer ${tokens[client] ?? ''}` };
  const request = get(`${url}/api/v1/me/stream?topics=${topics}`, { headers, agent: new Agent() });
  const [response] = (await once(request, 'response')) as [NodeJS.ReadableStream & { statusCode?: number }];
  if (response.statusCode !== 200) throw new Error(`A stream was refused: ${response.statusCode}`);
  let text = '';
  response.setEncoding('utf8');
  response.on('data', (part: string) => {
    text += part;
    for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
      if (text.startsWith('event: changed')) onEvent(client, text.slice(0, end));
      text = text.slice(end + 2);
    }
  });
  await once(response, 'data');
}

async function readMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1024;
}

function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN;
}
