import { inject } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { findProjectViolation } from '../../src/emulators/cluster/find-project-violation.ts';
import { type Application, ApplicationKind } from '../../src/kinds/argo-cd.ts';
import { type Attack, testAttacks } from './attacks.ts';
import { findProbes, probeAttacks } from './host-probes.ts';
import { sendRequest, type World } from './world.ts';

const facts = inject('redTeam');
const { argoCdNamespace } = loadConfig({});

/** Asks mallory's app in its zone to run the script. */
const runInZone = async (script: string): Promise<string> => {
  const path = `/run?script=${encodeURIComponent(script)}`;
  const { status, body } = await sendRequest({
    port: facts.port + 1,
    path,
    headers: { host: `app-rc.localhost:${facts.port + 1}` },
  });
  return status === 200 ? body : `GOT no output: ${status}`;
};

/** Changes the Application of mallory's zone, as a manifest in her gitops repo could. */
const application = (
  name: string,
  change: (application: Application, acme: Application) => Partial<Application['spec']>,
): Attack => {
  const isPermitted = async ({ withStore }: World, isChanged: boolean): Promise<boolean> =>
    await withStore(async (store) => {
      const [own] = (await store.list(ApplicationKind, { namespace: 'org-evil' })).items;
      const [foreign] = (await store.list(ApplicationKind, { namespace: 'org-acme' })).items;
      if (!own || !foreign) throw new Error('The zones have no Applications yet.');
      const spec = isChanged ? { ...own.spec, ...change(own, foreign) } : own.spec;
      return (await findProjectViolation(store, { ...own, spec }, argoCdNamespace)) === undefined;
    });
  return {
    name: `an Application of mallory ${name}`,
    attempt: async (world) => await isPermitted(world, true),
    counter: async (world) => await isPermitted(world, false),
  };
};

testAttacks('zones', [
  application('deploys to a zone of acme', ({ spec }, acme) => ({
    destination: { ...spec.destination, namespace: acme.spec.destination.namespace },
  })),
  application('deploys to the namespace of Argo CD', ({ spec }) => ({
    destination: { ...spec.destination, namespace: argoCdNamespace },
  })),
  application('uses the project of acme', (_, acme) => ({ project: acme.spec.project })),
  application('uses the default project', () => ({ project: 'default' })),
  application('deploys the gitops repo of acme', ({ spec }, acme) => ({
    source: { ...spec.source, repoURL: acme.spec.source.repoURL },
  })),
  {
    name: 'an app sees the session of its visitor',
    attempt: async ({ port }) => (await showHeaders(port, 'app-rc')).includes('svc_zone_session'),
    counter: async ({ port }) => (await showHeaders(port, 'app-rc', 'other_session')).includes('other_session'),
  },
  {
    name: 'a visitor takes another name in front of an app',
    attempt: async ({ port }) => (await showHeaders(port, 'app-rc')).includes('x-service-user'),
    counter: async ({ port }) => (await showHeaders(port, 'app-rc')).includes('x-other-user'),
  },
  ...probeAttacks(
    'an app',
    findProbes(
      facts,
      /store of|a file of the host|data directory|environment|signals|loopback server$|Temporal server|abstract/,
    ),
    async ({ script }) => await runInZone(script),
  ),
]);

/** Opens the app with the headers of a visitor who forges them. The app answers with those that it gets. */
async function showHeaders(port: number, zone: string, cookie = 'svc_zone_session'): Promise<string> {
  const headers = {
    host: `${zone}.localhost:${port + 1}`,
    cookie: `${cookie}=made-up`,
    'x-service-user': 'root',
    'x-other-user': 'root',
  };
  return (await sendRequest({ port: port + 1, path: '/', headers })).body;
}
