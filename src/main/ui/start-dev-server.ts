import { uiSources } from './build-ui.ts';

/** Serves the web UI from its sources, with hot reloading; its calls go to the API of the platform. */
export async function startUiDevServer(
  apiUrl: string,
  onProgress: (message: string) => void,
): Promise<{ stop(): Promise<void> }> {
  const { createServer } = await import('vite');
  // The name of the host stays that of the page, so that the API sees requests of its own origin.
  // The folder `api` of the sources and the reference have paths that begin like those of the API.
  const proxy = { '^/api/(v1|docs/|openapi)': { target: new URL(apiUrl).origin, changeOrigin: false } };
  const server = await createServer({ root: uiSources, logLevel: 'warn', server: { proxy } });
  await server.listen();
  onProgress(`The web UI with hot reloading is at ${server.resolvedUrls?.local[0] ?? 'its port'}.`);
  return { stop: async () => await server.close() };
}
