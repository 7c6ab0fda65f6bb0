import { createServer } from 'node:http';

const routes = {
  '/': () => ['text/html; charset=utf-8', '<!doctype html><title>node-service</title><h1>node-service</h1>'],
  '/healthz': () => ['text/plain', 'ok'],
  '/version': ({ version }) => ['application/json', JSON.stringify({ version })],
};

/** Creates the server without listening. */
export function createApp(release) {
  return createServer((request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost');
    const route = Object.hasOwn(routes, pathname) ? routes[pathname] : undefined;
    if (!route) return response.writeHead(404, { 'content-type': 'text/plain' }).end('not found');
    const [type, body] = route(release);
    return response.writeHead(200, { 'content-type': type }).end(body);
  });
}
