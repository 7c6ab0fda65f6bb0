import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { pinnedLookup } from './resolve-host.ts';

export type ProbeResponse = {
  status: number;
  durationMs: number;
  /** The start of the body. */
  body: string;
  /** The target of a redirect. */
  location?: string;
};

/** A URL, with the resolved address of its host. */
export type ProbeTarget = { url: string; address: string };

/** Sends a GET request and returns the start of the response. Redirects are not followed. */
export async function probeUrl(
  { url, address }: ProbeTarget,
  options: { signal: AbortSignal; bodyBytesMax: number },
): Promise<ProbeResponse> {
  const request = new URL(url).protocol === 'https:' ? httpsRequest : httpRequest;
  const startedAt = performance.now();
  return await new Promise<ProbeResponse>((resolve, reject) => {
    const outgoing = request(
      url,
      {
        lookup: pinnedLookup([address]),
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
          const durationMs = performance.now() - startedAt;
          resolve({ status: response.statusCode ?? 0, durationMs, body, ...(location !== undefined && { location }) });
          outgoing.destroy();
        };
        response.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          size += chunk.length;
          // A response may be endless.
          if (size >= options.bodyBytesMax) end();
        });
        response.on('error', reject);
        response.on('end', end);
      },
    );
    outgoing.on('error', reject);
    outgoing.end();
  });
}
