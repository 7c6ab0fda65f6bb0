import { LRUCache } from 'lru-cache';
import { statusOf } from './octokit-errors.ts';
import type { Client } from './octokit-client.ts';

/** Pages of issues and of their events are what is read again and again, and what there are many of. */
const remembered = /\/issues(?:\/events)?(?:\?|$)/;
const sizeMax = 64 * 1024 * 1024;

type Response = Awaited<ReturnType<Client['request']>>;

/**
 * Asks for such a page only whether it is still the one that was read last: that is quick, and counts towards no
 * limit of the code host. Every answer is as fresh as the code host's own, whichever replica gives it.
 */
export function askWhetherUnchanged(): (client: Client) => void {
  const pages = new LRUCache<string, { etag: string; response: Response }>({ maxSize: sizeMax });
  let connections = 0;
  return (client) => {
    // An application sees what it may see: another one's page is another page.
    const connection = (connections += 1);
    client.hook.wrap('request', async (request, options) => {
      const { url } = client.request.endpoint.parse(options);
      if (options.method !== 'GET' || !remembered.test(url)) return await request(options);
      const key = `${connection} ${url}`;
      const known = pages.get(key);
      // In place, since what is passed on is not what is sent.
      if (known) options.headers['if-none-match'] = known.etag;
      try {
        const response = (await request(options)) as Response;
        const { etag } = response.headers;
        if (etag !== undefined) pages.set(key, { etag, response }, { size: sizeOf(response) });
        return response;
      } catch (error) {
        if (!known || statusOf(error) !== 304) throw error;
        return known.response;
      }
    });
  };
}

const sizeOf = (response: Response): number => JSON.stringify(response.data).length;
