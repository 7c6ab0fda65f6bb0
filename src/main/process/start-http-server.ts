import { serve } from '@hono/node-server';

export type HttpServerHandle = { stop(timeoutMs: number): Promise<void> };

/** Serves an app. `stop` waits for running requests and closes those that take longer than the given time. */
export async function startHttpServer(
  app: { fetch: (request: Request) => Response | Promise<Response> },
  { port, host }: { port: number; host: string },
): Promise<HttpServerHandle> {
  const server = await new Promise<ReturnType<typeof serve>>((resolve, reject) => {
    const starting = serve({ fetch: app.fetch, port, hostname: host }, () => resolve(starting));
    starting.once('error', reject);
  });
  return {
    async stop(timeoutMs) {
      const closed = new Promise((resolve) => server.close(resolve));
      if ('closeIdleConnections' in server) server.closeIdleConnections();
      const closeTimer = setTimeout(() => 'closeAllConnections' in server && server.closeAllConnections(), timeoutMs);
      await closed;
      clearTimeout(closeTimer);
    },
  };
}
