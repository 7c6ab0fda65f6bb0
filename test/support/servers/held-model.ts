import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Scenario } from '../../../src/emulators/model/scenario.ts';
import { startModel } from '../../../src/emulators/model/start-model.ts';

export type HeldModel = {
  url: string;
  /** Lets the model answer no request from now on. */
  hold(): void;
  /** Answers the requests that wait, and later ones. */
  release(): void;
  /** The number of requests that wait. */
  waiting(): number;
  close(): Promise<void>;
};

/** Starts a scripted model whose answers a test can hold back, so that agents are in the middle of their turns. */
export async function startHeldModel(scenarios: Scenario[]): Promise<HeldModel> {
  const model = await startModel({ port: 0, scenarios });
  let waiting = 0;
  let open = Promise.resolve();
  let release = (): void => undefined;
  const server = createServer((request, response) => {
    const forward = async (): Promise<void> => {
      const { method = 'GET', url = '/' } = request;
      const body = await buffer(request);
      waiting += 1;
      await open.finally(() => (waiting -= 1));
      const answer = await fetch(new URL(url, model.url), {
        method,
        headers: { 'content-type': 'application/json' },
        ...(method === 'POST' && { body }),
      });
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' });
      response.end(Buffer.from(await answer.arrayBuffer()));
    };
    forward().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    hold: () => void (open = new Promise((resolve) => (release = resolve))),
    release: () => release(),
    waiting: () => waiting,
    async close() {
      release();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await model.close();
    },
  };
}
