import { serve } from '@hono/node-server';

export type Listening = { stop(withinMs: number): Promise<void> };

/** Serves an app; `stop` lets requests that are running finish, and cuts off those that take longer. */
export async function listen(
  app: { fetch: (request: Request) => Response | Promise<Response> },
  { port, host }: { port: number; host: string },
): Promise<Listening> {
  const server = await new Promise<ReturnType<typeof serve>>((resolve, reject) => {
    const starting = serve({ fetch: app.fetch, port, hostname: host }, () => resolve(starting));
    starting.once('error', reject);
  });
  return {
    async stop(withinMs) {
      const closed = new Promise((resolve) => server.close(resolve));
      if ('closeIdleConnections' in server) server.closeIdleConnections();
      const force = setTimeout(() => 'closeAllConnections' in server && server.closeAllConnections(), withinMs);
      await closed;
      clearTimeout(force);
    },
  };
}
