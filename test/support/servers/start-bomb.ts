import { gzipSync } from 'node:zlib';
import { startSite } from './test-sites.ts';

const mib = 1024 * 1024;

/** Starts a site whose response is half a MiB on the wire and 512 MiB once it is decoded. `cut` resolves at its end. */
export async function startBomb() {
  const cut = Promise.withResolvers<void>();
  const packed = Buffer.concat(Array<Buffer>(512).fill(gzipSync(Buffer.alloc(mib))));
  const { port } = await startSite({
    '/': (_request, response) => {
      response.on('close', cut.resolve);
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'application/json' });
      // The site never ends the response, so only the receiver can.
      response.write(packed);
    },
  });
  return { url: `http://127.0.0.1:${port}/`, cut: cut.promise };
}
