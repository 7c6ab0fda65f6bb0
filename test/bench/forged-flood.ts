import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { toOrgName } from '../support/platform/intake-harness.ts';
import { type RequestResult, closeConnectionPools, sendAtRate, sendForgedDelivery } from './intake-load.ts';

export type FloodInput = {
  url: string;
  forgedBodies: number;
  forgedBodyBytes: number;
  wrongPerSecond: number;
  seconds: number;
  orgs: number;
};
export type Flood = { wrong: RequestResult[]; forged: RequestResult[] };

const input = workerData as FloodInput;
const chunk = Buffer.alloc(64 * 1024, 'x');

const [wrong, forged] = await Promise.all([
  sendAtRate(
    input.wrongPerSecond,
    input.wrongPerSecond * input.seconds,
    async (index) => await sendForgedDelivery(input.url, toOrgName(index % input.orgs)),
  ),
  Promise.all(Array.from({ length: input.forgedBodies }, async () => await sendForgedBody())),
]);
await closeConnectionPools();
parentPort?.postMessage({ wrong, forged } satisfies Flood);

/** Sends a body until the API answers or closes the connection; a closed connection counts as status 0. */
async function sendForgedBody(): Promise<RequestResult> {
  const { hostname, port } = new URL(input.url);
  const socket = connect(Number(port), hostname);
  const startedAt = performance.now();
  let left = input.forgedBodyBytes;
  const send = (): void => {
    while (left > 0 && !socket.destroyed) {
      left -= chunk.length;
      if (!socket.write(chunk)) return;
    }
  };
  const status = await new Promise<number>((resolve) => {
    socket.once('data', (data) => resolve(Number(data.toString('latin1', 9, 12))));
    socket.once('error', () => resolve(0));
    socket.once('close', () => resolve(0));
    socket.on('drain', send);
    const head = [
      'POST /api/v1/webhooks/codehost HTTP/1.1',
      `Host: ${hostname}`,
      `Content-Length: ${input.forgedBodyBytes}`,
      `X-Hub-Signature-256: sha256=${randomBytes(32).toString('hex')}`,
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    send();
  });
  socket.destroy();
  return { status, durationMs: performance.now() - startedAt };
}
