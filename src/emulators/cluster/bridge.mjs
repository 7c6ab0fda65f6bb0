// This is the first process in the sandbox of an app: it starts the app and forwards the router's requests to it.
// The bridge connects to the host and never the reverse, so the host follows no path that the app controls.
import { spawn } from 'node:child_process';
import { connect } from 'node:net';

/** Connections kept open for future requests. One is enough; more spare a burst of requests the wait. */
const idleConnections = 8;
const stopTimeoutMs = 3_000;

const { START_COMMAND: start, PORT: port, ...environment } = process.env;
const appAddress = { port: Number(port), host: '127.0.0.1', allowHalfOpen: true };

// The app gets its own process group, because a shell between would not forward the signal.
const app = spawn('/bin/sh', ['-c', start], {
  stdio: ['ignore', 'inherit', 'inherit'],
  detached: true,
  env: { ...environment, PORT: port },
});
let stopping = false;
app.on('exit', async (code) => {
  for (const deadline = Date.now() + stopTimeoutMs; stopping && isProcessGroupAlive() && Date.now() < deadline;)
    await new Promise((done) => setTimeout(done, 20));
  process.exit(code ?? 1);
});

function isProcessGroupAlive() {
  try {
    return process.kill(-app.pid, 0);
  } catch {
    return false;
  }
}

// The host closes this connection to ask for a graceful stop.
connect('/service/host/stop.sock')
  .resume()
  .on('error', () => {})
  .on('close', () => {
    stopping = true;
    if (isProcessGroupAlive()) process.kill(-app.pid, 'SIGTERM');
  });

function openConnection() {
  const connection = connect({ path: '/service/host/requests.sock', allowHalfOpen: true });
  let upstream;
  connection.once('data', (first) => {
    openConnection();
    upstream = connect(appAddress);
    // The connection is ended, not destroyed: an app may respond and close before it has read the whole request.
    upstream.on('error', () => connection.end().resume());
    upstream.write(first);
    connection.pipe(upstream).pipe(connection);
  });
  connection.on('error', () => {});
  connection.on('end', () => upstream ?? connection.destroy());
  connection.on('close', () => {
    if (upstream) upstream.destroy();
    // No request arrived, because the client disconnected first.
    else setTimeout(openConnection, 50);
  });
}

function connectWhenAppListens() {
  const probe = connect(appAddress);
  probe.on('connect', () => {
    probe.destroy();
    for (let count = 0; count < idleConnections; count += 1) openConnection();
  });
  probe.on('error', () => setTimeout(connectWhenAppListens, 20));
}
connectWhenAppListens();
