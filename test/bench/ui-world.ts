import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { largeSteps } from '../clients/ui/large-org.ts';
import type { TurnRequest } from './ui-process.ts';

type OnCleanup = (close: () => Promise<void>) => void;
/** Changes a step, and returns when that was written. */
export type SendTurn = (request: TurnRequest) => Promise<number>;
/** A page with the rows of a Change, whose first row is the element `#step-0`. */
export type World = { url: string; sendTurn: SendTurn; isBare: boolean };

/** Starts the UI with a large org. */
export async function startWorld(onCleanup: OnCleanup): Promise<World> {
  const child = fork(join(import.meta.dirname, 'ui-process.ts'), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  onCleanup(async () => void child.kill());
  const exit = once(child, 'exit').then(() => {
    throw new Error('The process that serves the UI has ended.');
  });
  exit.catch(() => {});
  const receive = async <T>(): Promise<T> => ((await Promise.race([once(child, 'message'), exit])) as [T])[0];
  const { url } = await receive<{ url: string }>();
  const sendTurn: SendTurn = async (request) => {
    child.send(request);
    const answer = await receive<{ writtenAt?: number; error?: string }>();
    if (answer.writtenAt === undefined) throw new Error(answer.error);
    return answer.writtenAt;
  };
  return { url, sendTurn, isBare: false };
}

const barePage = `<!doctype html><title>Bare</title><h1>Bare</h1>
<section id="decision"><input id="note"><button>Approve</button></section><div id="rows"></div>
<script>
  const toText = ({ name, turns }) => name + ', ' + turns + ' turns';
  const rows = [];
  for (let step = 0; step < ${largeSteps}; step += 1) {
    const row = document.createElement('details');
    row.id = 'step-' + step;
    row.innerHTML = '<summary></summary>Done';
    row.firstChild.textContent = toText({ name: row.id, turns: 3 });
    document.querySelector('#rows').append(row);
    rows.push(row.firstChild);
  }
  new EventSource('/events').onmessage = ({ data }) => {
    const { steps, changed } = JSON.parse(data);
    rows[changed].textContent = toText(steps[changed]);
  };
</script>`;

/** Serves a page without a framework that has as many rows as the large Change, and gets as many bytes for each event. */
export async function startBareWorld(onCleanup: OnCleanup): Promise<World> {
  const clients = new Set<ServerResponse>();
  const steps = Array.from({ length: largeSteps }, (_, step) => ({
    name: `step-${step}`,
    phase: 'Succeeded',
    startedAt: new Date().toISOString(),
    finishedAt: new Date().toISOString(),
    turns: 3,
    links: [],
    planned: { type: 'agent', role: 'implementer', mode: 'report' },
  }));
  const server = createServer((request, response) => {
    const isStream = request.url === '/events';
    response.setHeader('Content-Type', isStream ? 'text/event-stream' : 'text/html; charset=utf-8');
    if (!isStream) return void response.end(barePage);
    response.flushHeaders();
    clients.add(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onCleanup(async () => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const sendTurn: SendTurn = async ({ step, turns }) => {
    const writtenAt = performance.timeOrigin + performance.now();
    const changed = steps.map((one, index) => (index === step ? { ...one, turns } : one));
    for (const client of clients) client.write(`data: ${JSON.stringify({ steps: changed, changed: step })}\n\n`);
    return writtenAt;
  };
  return { url: `http://127.0.0.1:${port}`, sendTurn, isBare: true };
}
