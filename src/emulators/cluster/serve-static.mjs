// This server runs apps that consist of static files only.
import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, resolve, sep } from 'node:path';

// The folder may be a link, and no file outside of /workspace is served.
const root = await realpath(resolve('/workspace', process.argv[2] ?? '.'));
if (root !== '/workspace' && !root.startsWith('/workspace' + sep)) throw new Error('The folder is outside of the app.');
const types = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.webp': 'image/webp',
  '.ico': 'image/x-icon',
  '.txt': 'text/plain; charset=utf-8',
};

createServer(async (request, response) => {
  try {
    const path = join(root, decodeURIComponent(new URL(request.url, 'http://localhost').pathname));
    const file = await realpath((await stat(path)).isDirectory() ? join(path, 'index.html') : path);
    if (!file.startsWith(root + sep) || !(await stat(file)).isFile()) throw new Error('not a file of the app');
    response.writeHead(200, { 'content-type': types[extname(file)] ?? 'application/octet-stream' });
    createReadStream(file).pipe(response);
  } catch {
    response.writeHead(404, { 'content-type': 'text/plain' }).end('not found');
  }
}).listen(Number(process.env.PORT), '127.0.0.1');
