import { StreamHub, type FromHub, type ToHub } from './stream-hub.ts';

/** The worker answers every message, which shows the tabs that it has not ended. */
export type FromWorker = FromHub | { type: 'alive' };

/** One stream serves all tabs, because a browser opens only six HTTP/1.1 connections to a server. */
const hub = new StreamHub();

const onConnect = ({ ports: [port] }: MessageEvent): void => {
  if (!port) return;
  const receive = hub.connect((message) => port.postMessage(message));
  port.addEventListener('message', ({ data }: MessageEvent<ToHub>) => {
    receive(data);
    port.postMessage({ type: 'alive' } satisfies FromWorker);
  });
  port.start();
};
addEventListener('connect', (event) => onConnect(event as MessageEvent));
