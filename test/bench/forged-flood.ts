import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { platform, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { toOrgName } from '../support/platform/intake-harness.ts';
import { type RequestResult, closeConnectionPools, sendAtRate, sendForgedDelivery } from './intake-load.ts';

/** Either bodies that are sent at once, or wrong signatures at a fixed rate. */
export type FloodInput = { url: string } & (
  | { forgedBodies: number; forgedBodyBytes: number }
  | { wrongPerSecond: number; seconds: number; orgs: number }
);

const input = workerData as FloodInput;
const chunk = Buffer.alloc(64 * 1024, 'x');

// Strangers have machines of their own. On Linux, a priority applies to this thread only; the lowest one would make the
// flood with a rate fall behind and then catch up at once.
if (platform() === 'linux') setPriority('forgedBodies' in input ? 19 : 5);
parentPort?.postMessage(await send());
await closeConnectionPools();

async function send(): Promise<RequestResult[]> {
  if ('forgedBodies' in input) {
    const { url, forgedBodies, forgedBodyBytes } = input;
    return await Promise.all(
      Array.from({ length: forgedBodies }, async () => await sendForgedBody(url, forgedBodyBytes)),
    );
  }
  const { url, wrongPerSecond, seconds, orgs } = input;
  const sendNext = async (index: number): Promise<RequestResult> =>
    await sendForgedDelivery(url, toOrgName(index % orgs));
  return await sendAtRate(wrongPerSecond, wrongPerSecond * seconds, sendNext);
}

/** Sends a body until the API answers or closes the connection; a closed connection counts as status 0. */
async function sendForgedBody(url: string, bytes: number): Promise<RequestResult> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const startedAt = performance.now();
  let left = bytes;
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
      `Content-Length: ${bytes}`,
      `X-Hub-Signature-256: sha256=${randomBytes(32).toString('hex')}`,
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    send();
  });
  socket.destroy();
  return { status, durationMs: performance.now() - startedAt };
}
