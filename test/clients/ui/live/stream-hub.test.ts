import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { StreamHub, type FromHub, type ToHub } from '../../../../src/clients/ui/live/stream-hub.ts';

type Request = { topics: string[]; lastId: string | undefined; response: ServerResponse };

/** Serves `/v1/me/stream` by hand. The paths of a browser are relative to its page, and Node has no page. */
async function startStreamServer(respond: (request: Request) => void = accept) {
  const requests: Request[] = [];
  const server = createServer(({ url = '', headers }, response) => {
    const topics = new URL(url, 'http://localhost').searchParams.get('topics')?.split(',') ?? [];
    const request = { topics, lastId: headers['last-event-id'] as string | undefined, response };
    requests.push(request);
    respond(request);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { fetch } = globalThis;
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  vi.stubGlobal('fetch', (path: string, init: RequestInit) => fetch(origin + path, init));
  onTestFinished(() => {
    vi.unstubAllGlobals();
    server.closeAllConnections();
    server.close();
  });
  return { requests, last: () => requests.at(-1) };
}

const accept = ({ response }: Request): void =>
  void response.writeHead(200, { 'Content-Type': 'text/event-stream', 'X-UI-Build': 'build-1' }).write(': hello\n\n');
const collect = ({ response }: Request): void => {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  response.flushHeaders();
};
const send = (request: Request | undefined, event: string, data: object, id?: string): void =>
  void request?.response.write(
    `event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`,
  );

function openTab(hub: StreamHub, ...topics: string[]) {
  const messages: FromHub[] = [];
  const post: (message: ToHub) => void = hub.connect((message) => messages.push(message));
  onTestFinished(() => post({ type: 'leave' }));
  post({ type: 'topics', topics });
  const state = (): string | undefined =>
    messages.flatMap((message) => (message.type === 'status' ? [message.status.state] : [])).at(-1);
  const relisted = (): string[] =>
    messages.flatMap((message) =>
      message.type === 'event' && message.event.event === 'relist' ? message.event.topics : [],
    );
  const names = (): string[] =>
    messages.flatMap((message) =>
      message.type === 'event' && message.event.event === 'changed' ? [message.event.name] : [],
    );
  return { post, messages, state, relisted, names };
}
const fast = { retryMsMin: 5, retryMsMax: 20 };

it('holds one stream for all tabs, and gives each tab the events of its own topics', async () => {
  const { requests, last } = await startStreamServer();
  const hub = new StreamHub(fast);
  const one = openTab(hub, 'waiting', 'products:acme');
  const other = openTab(hub, 'waiting', 'releases:acme');
  await expect.poll(() => [one.state(), other.state()]).toEqual(['live', 'live']);
  expect(requests.map(({ topics }) => topics)).toEqual([['products:acme', 'releases:acme', 'waiting']]);
  send(last(), 'relist', { topics: ['products:acme', 'releases:acme', 'waiting'] });
  send(last(), 'changed', { topic: 'products:acme', name: 'shop', view: {} }, 'products:7');
  await expect.poll(() => one.names()).toEqual(['shop']);
  expect(one.relisted()).toEqual(['waiting', 'products:acme']);
  expect(other.names()).toEqual([]);
  expect(one.messages).toContainEqual({ type: 'build', build: 'build-1' });
});

it('resumes after the last event when a tab follows more, and has only the added topics read', async () => {
  const { requests, last } = await startStreamServer();
  const hub = new StreamHub(fast);
  const tab = openTab(hub, 'products:acme');
  await expect.poll(() => requests.length).toBe(1);
  send(last(), 'relist', { topics: ['products:acme'] }, 'products:3');
  await expect.poll(() => tab.relisted()).toEqual(['products:acme']);
  tab.post({ type: 'topics', topics: ['products:acme', 'releases:acme'] });
  await expect.poll(() => last()?.lastId).toBe('products:3');
  await expect.poll(() => tab.relisted()).toEqual(['products:acme', 'releases:acme']);
  // A topic that is streamed already is read at once, and a topic less changes nothing.
  const second = openTab(hub, 'releases:acme');
  expect(second.relisted()).toEqual(['releases:acme']);
  tab.post({ type: 'topics', topics: [] });
  // The view may also come before the name.
  send(last(), 'changed', { view: {}, topic: 'releases:acme', name: 'v1' });
  await expect.poll(() => second.names()).toEqual(['v1']);
  expect([tab.names(), requests.length]).toEqual([[], 2]);
});

it('connects again after a loss, says since when, and stops when the session has ended', async () => {
  let status = 200;
  const { requests, last } = await startStreamServer((request) =>
    status === 200 ? accept(request) : void request.response.writeHead(status).end(),
  );
  const tab = openTab(new StreamHub(fast), 'waiting');
  await expect.poll(() => tab.state()).toBe('live');
  status = 503;
  last()?.response.destroy();
  await expect.poll(() => requests.length).toBeGreaterThan(3);
  expect(tab.state()).toBe('reconnecting');
  const since = tab.messages.flatMap((message) => (message.type === 'status' ? [message.status] : [])).at(-1)?.since;
  expect(Date.parse(since ?? '')).toBeGreaterThan(Date.now() - 60_000);
  status = 401;
  await expect.poll(() => tab.state()).toBe('signed-out');
  const attempts = requests.length;
  tab.post({ type: 'wake' });
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(requests.length).toBe(attempts);
  status = 200;
  openTab(new StreamHub(fast), 'waiting');
  tab.post({ type: 'topics', topics: ['waiting', 'products:acme'] });
  await expect.poll(() => tab.state()).toBe('live');
});

it('has nothing read while the server is away, and all of it once the server is back', async () => {
  vi.useFakeTimers();
  let stream: ReadableStreamDefaultController | undefined;
  const start = (controller: ReadableStreamDefaultController): void => void (stream = controller);
  let isUp = true;
  vi.stubGlobal('fetch', async () => {
    if (!isUp) throw new TypeError('Failed to fetch');
    return new Response(new ReadableStream({ start }), { headers: { 'Content-Type': 'text/event-stream' } });
  });
  const tab = openTab(new StreamHub(), 'waiting');
  onTestFinished(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
  await vi.advanceTimersByTimeAsync(100);
  expect([tab.state(), tab.relisted()]).toEqual(['live', []]);
  isUp = false;
  stream?.error(new TypeError('network error'));
  await vi.advanceTimersByTimeAsync(20_000);
  expect([tab.state(), tab.relisted()]).toEqual(['reconnecting', []]);
  isUp = true;
  await vi.advanceTimersByTimeAsync(31_000);
  expect([tab.state(), tab.relisted()]).toEqual(['live', ['waiting']]);
});

it('tries at once when the network is back', async () => {
  let isUp = false;
  const { requests } = await startStreamServer((request) =>
    isUp ? accept(request) : void request.response.writeHead(503).end(),
  );
  const tab = openTab(new StreamHub({ retryMsMin: 1, retryMsMax: 3_600_000 }), 'waiting');
  await expect.poll(() => requests.length).toBeGreaterThan(10);
  isUp = true;
  tab.post({ type: 'wake' });
  await expect.poll(() => tab.state()).toBe('live');
});

it.each([
  ['answers something else', ({ response }: Request) => void response.writeHead(200).end('<html>')],
  ['collects the response', collect],
  ['never answers', () => undefined],
])('has its tabs poll when a proxy %s', async (_, respond) => {
  await startStreamServer(respond);
  const tab = openTab(new StreamHub({ ...fast, headersMsMax: 50, silenceMsMax: 50 }), 'waiting');
  await expect.poll(() => tab.state()).toBe('polling');
});

it('streams at most 100 topics', async () => {
  const { last } = await startStreamServer();
  const topics = Array.from({ length: 130 }, (_, index) => `releases:acme/v${index}`);
  openTab(new StreamHub(fast), ...topics);
  await expect.poll(() => last()?.topics.length).toBe(100);
});
