// The first process of a zone's app, inside its sandbox: starts the app on the sandbox's own loopback and joins it to a
// Unix socket that the router outside can reach. The app itself can reach nothing.
import { spawn } from 'node:child_process';
import { connect, createServer } from 'node:net';

const { START_COMMAND: start, PORT: port, ...environment } = process.env;

const app = spawn('/bin/sh', ['-c', start], { stdio: ['ignore', 'inherit', 'inherit'], env: { ...environment, PORT: port } });
app.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)));

const door = createServer({ allowHalfOpen: true }, (visitor) => {
  const inside = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true });
  visitor.on('error', () => inside.destroy());
  inside.on('error', () => visitor.destroy());
  visitor.pipe(inside).pipe(visitor);
});

// A connection here asks the app to end in good order.
createServer(() => app.kill('SIGTERM')).listen('/service/run/stop.sock');

function openOnceItListens() {
  const probe = connect({ port: Number(port), host: '127.0.0.1' });
  probe.on('connect', () => {
    probe.destroy();
    door.listen('/service/run/app.sock');
  });
  probe.on('error', () => setTimeout(openOnceItListens, 20));
}
openOnceItListens();
