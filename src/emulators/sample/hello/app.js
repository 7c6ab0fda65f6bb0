import { createServer } from 'node:http';
import { greeting } from './greeting.js';
import { createMetrics } from './metrics.js';
import { page } from './page.js';

/** Creates the server without listening; `release` is the running version. */
export function createApp(release) {
  const metrics = createMetrics();
  return createServer((request, response) => {
    const url = new URL(request.url, 'http://localhost');
    if (url.pathname === '/metrics') return send(response, 200, 'text/plain; version=0.0.4', metrics.format());
    metrics.measure(response);
    if (url.pathname === '/') return send(response, 200, 'text/html; charset=utf-8', page({ greeting: greeting(), ...release }));
    if (url.pathname === '/version') return send(response, 200, 'application/json', JSON.stringify(release));
    if (url.pathname === '/healthz') return send(response, 200, 'text/plain', 'ok');
    return send(response, 404, 'text/plain', 'not found');
  });
}

function send(response, status, type, body) {
  response.writeHead(status, { 'content-type': type });
  response.end(body);
}
