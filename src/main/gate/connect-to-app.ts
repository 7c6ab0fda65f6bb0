import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Rejection } from '../../gate/rejection.ts';

const attemptsMax = 5;
const attemptTimeoutMs = 2_000;
const pauseMs = 50;

const noInstance = { status: 503, text: 'No pod of this zone is running.' };

/** Connects to the app. A pod that has just stopped refuses connections for a moment, before anything is sent to it. */
export async function connectToApp({ hostname, port }: URL): Promise<Socket | Rejection> {
  const target = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 80), noDelay: true };
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const connection = connect(target);
    try {
      await once(connection, 'connect', { signal: AbortSignal.timeout(attemptTimeoutMs) });
      return connection;
    } catch {
      connection.destroy();
      await sleep(pauseMs * attempt);
    }
  }
  return noInstance;
}
