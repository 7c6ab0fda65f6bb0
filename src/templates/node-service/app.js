import { createServer } from 'node:http';
import { createMetrics } from './metrics.js';

const routes = {
  '/': () => ['text/html; charset=utf-8', '<!doctype html><title>node-service</title><h1>node-service</h1>'],
  '/healthz': () => ['text/plain', 'ok'],
  '/version': ({ version }) => ['application/json', JSON.stringify({ version })],
};

/** Creates the server without listening. */
export function createApp(release) {
  const metrics = createMetrics();
  return createServer((request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost');
    if (pathname === '/metrics')
      return response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' }).end(metrics.format());
    metrics.measure(response);
    const route = Object.hasOwn(routes, pathname) ? routes[pathname] : undefined;
    if (!route) return response.writeHead(404, { 'content-type': 'text/plain' }).end('not found');
    const [type, body] = route(release);
    return response.writeHead(200, { 'content-type': type }).end(body);
  });
}
