import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { pinnedTo } from './resolve-host.ts';

export type Answer = {
  status: number;
  tookMs: number;
  /** Its beginning. */
  body: string;
  /** Where a redirect leads. */
  location?: string;
};

/** A URL, and the address of its host that it was found to be at. */
export type Asked = { url: string; address: string };

/** GETs a URL and keeps the answer's beginning; redirects are answers like any other. */
export async function askAddress(
  { url, address }: Asked,
  options: { signal: AbortSignal; bodyBytesMax: number },
): Promise<Answer> {
  const request = new URL(url).protocol === 'https:' ? httpsRequest : httpRequest;
  const startedAt = performance.now();
  return await new Promise<Answer>((resolve, reject) => {
    const asking = request(
      url,
      {
        lookup: pinnedTo(address),
        signal: options.signal,
        headers: { 'user-agent': 'delivery-service' },
        agent: false,
      },
      (response) => {
        const chunks: Buffer[] = [];
        let size = 0;
        const end = (): void => {
          const { location } = response.headers;
          const body = Buffer.concat(chunks).subarray(0, options.bodyBytesMax).toString('utf8');
          const tookMs = performance.now() - startedAt;
          resolve({ status: response.statusCode ?? 0, tookMs, body, ...(location !== undefined && { location }) });
          asking.destroy();
        };
        response.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          size += chunk.length;
          // An answer may have no end.
          if (size >= options.bodyBytesMax) end();
        });
        response.on('error', reject);
        response.on('end', end);
      },
    );
    asking.on('error', reject);
    asking.end();
  });
}
