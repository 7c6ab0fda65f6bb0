// The first process of a zone's app, inside its sandbox: starts the app on the sandbox's own loopback and carries the
// router's requests to it. It is the bridge that calls the host, over sockets that the sandbox can only connect to: the
// host never follows a path that the app could have put there.
import { spawn } from 'node:child_process';
import { connect } from 'node:net';

/** Lines kept open for requests to come: one is enough, more save a burst of requests the wait. */
const spareLines = 8;
const graceMs = 3_000;

const { START_COMMAND: start, PORT: port, ...environment } = process.env;
const appAddress = { port: Number(port), host: '127.0.0.1', allowHalfOpen: true };

// A process group of its own: a shell in between would keep the signal to itself.
const app = spawn('/bin/sh', ['-c', start], {
  stdio: ['ignore', 'inherit', 'inherit'],
  detached: true,
  env: { ...environment, PORT: port },
});
let stopping = false;
app.on('exit', async (code) => {
  for (const giveUpAt = Date.now() + graceMs; stopping && groupLives() && Date.now() < giveUpAt;)
    await new Promise((done) => setTimeout(done, 20));
  process.exit(code ?? 1);
});

function groupLives() {
  try {
    return process.kill(-app.pid, 0);
  } catch {
    return false;
  }
}

// The host ends this line to ask the app to end in good order.
connect('/service/host/stop.sock')
  .resume()
  .on('error', () => {})
  .on('close', () => {
    stopping = true;
    if (groupLives()) process.kill(-app.pid, 'SIGTERM');
  });

function offerLine() {
  const line = connect({ path: '/service/host/requests.sock', allowHalfOpen: true });
  let inside;
  line.once('data', (first) => {
    offerLine();
    inside = connect(appAddress);
    // Ended, not destroyed: an app may answer and hang up before it has read the whole request.
    inside.on('error', () => line.end().resume());
    inside.write(first);
    line.pipe(inside).pipe(line);
  });
  line.on('error', () => {});
  line.on('end', () => inside ?? line.destroy());
  line.on('close', () => {
    if (inside) inside.destroy();
    // Nobody's request came: the visitor left first.
    else setTimeout(offerLine, 50);
  });
}

function offerOnceTheAppListens() {
  const probe = connect(appAddress);
  probe.on('connect', () => {
    probe.destroy();
    for (let line = 0; line < spareLines; line += 1) offerLine();
  });
  probe.on('error', () => setTimeout(offerOnceTheAppListens, 20));
}
offerOnceTheAppListens();
