import { assertPortFree } from './ports.ts';

export type LocalPorts = ReturnType<typeof localPorts>;

/** The ports of a platform on one machine: eight in a row from the API's. */
export function localPorts(api: number) {
  return {
    api,
    addresses: api + 1,
    codehost: api + 2,
    temporalUi: api + 3,
    temporal: api + 4,
    model: api + 5,
    dns: api + 6,
    services: api + 7,
  };
}

const uses = {
  api: 'the API',
  addresses: "the environments' addresses",
  codehost: 'the code host',
  model: 'the rehearsal model',
  dns: 'the DNS server of managed domains',
  services: "the environments' own services",
} as const;

/** Temporal's own are asked for where its server starts, once one that an earlier platform left is gone. */
export async function assertPortsFree(ports: LocalPorts): Promise<void> {
  for (const [name, what] of Object.entries(uses))
    await assertPortFree({ port: ports[name as keyof typeof uses], what, setBy: '--port' });
}
