import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { ServiceOctokit, type Client } from '../../../src/integrations/codehost/octokit-client.ts';

/** `next` is the path of the next page of a list. */
type Reply = { status?: number; headers?: Record<string, string>; next?: string; body?: unknown };
export type RecordedRequest = { route: string; body: unknown };

/**
 * Starts a server that answers as the code host documents it, for states that an emulator cannot be brought into. Each
 * route has its responses in the order of the requests; the last one is repeated.
 */
export async function startScriptedCodehost(
  routes: Record<string, Reply | readonly Reply[]>,
): Promise<{ client: Client; url: string; requests: RecordedRequest[] }> {
  const replies = new Map(Object.entries(routes).map(([route, list]) => [route, [list].flat() as Reply[]]));
  const requests: RecordedRequest[] = [];
  const server = createServer(async (request, response) => {
    const route = `${request.method} ${request.url}`;
    const sent = await text(request);
    requests.push({ route, body: sent === '' ? undefined : JSON.parse(sent) });
    const list = replies.get(route) ?? [];
    const reply = (list.length > 1 ? list.shift() : list[0]) ?? { status: 404, body: { message: 'Not Found' } };
    const { status = 200, headers, next, body } = reply;
    const link = next === undefined ? {} : { link: `<http://${request.headers.host}${next}>; rel="next"` };
    response.writeHead(status, { 'content-type': 'application/json', ...headers, ...link });
    response.end(body === undefined ? undefined : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client: Client = new ServiceOctokit({
    baseUrl: url,
    retry: { enabled: false },
    throttle: { enabled: false, onRateLimit: () => false, onSecondaryRateLimit: () => false },
  });
  return { client, url, requests };
}
