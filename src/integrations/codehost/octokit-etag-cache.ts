import { LRUCache } from 'lru-cache';
import { findHttpStatus } from './octokit-errors.ts';
import type { Client } from './octokit-client.ts';

/** Pages of issues, their events and diffs are read most often, and are the largest. */
const cachedPaths = /\/(?:issues(?:\/events)?|pulls\/\d+\/files|commits\/[0-9a-f]{40}|compare\/[^/?]+)(?:\?|$)/;
const cacheBytesMax = 64 * 1024 * 1024;

type Response = Awaited<ReturnType<Client['request']>>;

/**
 * Sends the ETag of a cached page. A 304 response is fast and does not count towards the rate limit, and every page is
 * as fresh as the code host's own.
 */
export function conditionalRequests(): (client: Client) => void {
  const pages = new LRUCache<string, { etag: string; response: Response }>({ maxSize: cacheBytesMax });
  let connections = 0;
  return (client) => {
    // Pages differ between applications, because each one sees only its own repos.
    const connection = (connections += 1);
    client.hook.wrap('request', async (request, options) => {
      const { url } = client.request.endpoint.parse(options);
      if (options.method !== 'GET' || !cachedPaths.test(url)) return await request(options);
      const key = `${connection} ${url}`;
      const cached = pages.get(key);
      // Octokit sends this options object, so the header is set in place.
      if (cached) options.headers['if-none-match'] = cached.etag;
      try {
        const response = (await request(options)) as Response;
        const { etag } = response.headers;
        if (etag !== undefined) pages.set(key, { etag, response }, { size: measureBytes(response) });
        return response;
      } catch (error) {
        if (!cached || findHttpStatus(error) !== 304) throw error;
        return cached.response;
      }
    });
  };
}

const measureBytes = (response: Response): number => JSON.stringify(response.data).length;
