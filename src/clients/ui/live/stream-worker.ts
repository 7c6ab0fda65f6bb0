import { StreamHub, type ToHub } from './stream-hub.ts';

/** One stream serves all tabs, because a browser opens only six HTTP/1.1 connections to a server. */
const hub = new StreamHub();

const onConnect = ({ ports: [port] }: MessageEvent): void => {
  if (!port) return;
  const receive = hub.connect((message) => port.postMessage(message));
  port.addEventListener('message', ({ data }: MessageEvent<ToHub>) => receive(data));
  port.start();
};
addEventListener('connect', (event) => onConnect(event as MessageEvent));
