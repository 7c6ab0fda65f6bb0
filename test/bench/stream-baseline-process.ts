import { createServer, type ServerResponse } from 'node:http';
import { createInterface } from 'node:readline';

/** Serves plain server-sent events without authorization or storage; each line of the input sends one of this size. */
const [port = '', bytes = '0'] = process.argv.slice(2);
const clients = new Set<ServerResponse>();
const send = (text: string): void => {
  for (const client of clients) client.write(text);
};
const server = createServer((_request, response) => {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  response.write('event: relist\ndata: {}\n\n');
  clients.add(response);
});
await new Promise<void>((resolve) => server.listen({ port: Number(port), host: '127.0.0.1', backlog: 4096 }, resolve));
setInterval(() => send(': keep-alive\n\n'), 15_000);
process.stdout.write('[]\n');
for await (const line of createInterface({ input: process.stdin })) {
  if (line !== 'change') continue;
  process.stdout.write(`${performance.timeOrigin + performance.now()}\n`);
  send(`event: changed\ndata: {"view":"${'x'.repeat(Number(bytes))}"}\n\n`);
}
