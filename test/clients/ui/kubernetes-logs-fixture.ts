import { kubernetesLogs } from '../../../src/integrations/telemetry/kubernetes-logs.ts';
import type { ZoneTelemetry } from '../../../src/integrations/telemetry/zone-telemetry.ts';
import { connectTestApiServer } from '../../support/servers/test-api-server.ts';

/** The lines of the containers of a pod, and those of the container before its last restart. */
export type PodLines = { lines: string[]; previous: string[] };

/** Reads the logs of these pods as those of a cluster: from an API server that a test can let log more. */
export async function startKubernetesLogs(pods: ReadonlyMap<string, PodLines>): Promise<ZoneTelemetry> {
  const api = await connectTestApiServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    const [, pod] = /\/pods\/([^/]+)\/log$/.exec(pathname) ?? [];
    if (pod !== undefined) {
      const { lines = [], previous = [] } = pods.get(pod) ?? {};
      const log = searchParams.get('previous') === 'true' ? previous : lines;
      const shown = log.slice(-Number(searchParams.get('tailLines') ?? log.length));
      return void response.end(shown.map((line) => `${line}\n`).join(''));
    }
    if (pathname === '/readyz') return void response.end('ok');
    const selected = /metadata\.name=(.+)/.exec(searchParams.get('fieldSelector') ?? '')?.[1];
    const items = [...pods.keys()]
      .filter((name) => selected === undefined || name === selected)
      .map((name) => ({ metadata: { name }, spec: { containers: [{ name: 'app' }] } }));
    response.end(JSON.stringify({ items }));
  });
  return { queryLogs: kubernetesLogs(api), querySeries: async () => [] };
}
