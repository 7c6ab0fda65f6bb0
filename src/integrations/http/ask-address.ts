import { lookup as systemLookup } from 'node:dns';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';

export type Answer = { status: number; tookMs: number; body: string };

/** `*.localhost` is loopback by RFC 6761; browsers know it, the system's look-up may not. */
const lookup: LookupFunction = (hostname, options, callback) => {
  if (hostname !== 'localhost' && !hostname.endsWith('.localhost')) return systemLookup(hostname, options, callback);
  if (options.all) return callback(null, [{ address: '127.0.0.1', family: 4 }]);
  return callback(null, '127.0.0.1', 4);
};

/** GETs an address and keeps the answer's beginning; redirects are answers like any other. */
export async function askAddress(url: string, options: { signal: AbortSignal; bodyBytesMax: number }): Promise<Answer> {
  const request = new URL(url).protocol === 'https:' ? httpsRequest : httpRequest;
  const startedAt = performance.now();
  return await new Promise<Answer>((resolve, reject) => {
    const asking = request(
      url,
      { lookup, signal: options.signal, headers: { 'user-agent': 'delivery-service' } },
      (response) => {
        const chunks: Buffer[] = [];
        let size = 0;
        response.on('data', (chunk: Buffer) => {
          if (size < options.bodyBytesMax) chunks.push(chunk);
          size += chunk.length;
        });
        response.on('error', reject);
        response.on('end', () => {
          const body = Buffer.concat(chunks).subarray(0, options.bodyBytesMax).toString('utf8');
          resolve({ status: response.statusCode ?? 0, tookMs: performance.now() - startedAt, body });
        });
      },
    );
    asking.on('error', reject);
    asking.end();
  });
}
