import { StreamHub, type ToHub } from './stream-hub.ts';

/** Runs once for all tabs of a browser: with HTTP/1.1 it opens only six connections to a server. */
const hub = new StreamHub();

const onConnect = ({ ports: [port] }: MessageEvent): void => {
  if (!port) return;
  const receive = hub.connect((message) => port.postMessage(message));
  port.addEventListener('message', ({ data }: MessageEvent<ToHub>) => receive(data));
  port.start();
};
addEventListener('connect', (event) => onConnect(event as MessageEvent));
