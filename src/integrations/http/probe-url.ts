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
  const getDurationMs = (): number => performance.now() - startedAt;
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
          const answer = { status: response.statusCode ?? 0, durationMs: getDurationMs(), body };
          resolve({ ...answer, ...(location !== undefined && { location }) });
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
    // Without a listener, Node closes the connection and the request never ends: it has no error and no response.
    outgoing.on('upgrade', ({ statusCode = 0 }, socket) => {
      socket.destroy();
      resolve({ status: statusCode, durationMs: getDurationMs(), body: '' });
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}
