import type { Readable, Writable } from 'node:stream';
import type { ConnectionTransport } from 'puppeteer-core';

const separator = '\0';

/** Sends commands to a browser and receives its answers through two pipes, each message ended by a zero byte. */
export function pipeTransport(commands: Writable, answers: Readable): ConnectionTransport {
  const transport: ConnectionTransport = {
    send: (message) => void commands.write(message + separator),
    close: () => void commands.end(),
  };
  let received: Buffer[] = [];
  answers.on('data', (chunk: Buffer) => {
    received.push(chunk);
    if (!chunk.includes(separator)) return;
    const bytes = Buffer.concat(received);
    const end = bytes.lastIndexOf(separator);
    received = [bytes.subarray(end + 1)];
    // The library must handle what a message causes before the next one.
    for (const message of bytes.toString('utf8', 0, end).split(separator))
      setImmediate(() => transport.onmessage?.(message));
  });
  answers.on('close', () => transport.onclose?.());
  // The end of the browser closes both pipes, and is reported above.
  answers.on('error', () => {});
  commands.on('error', () => {});
  return transport;
}
