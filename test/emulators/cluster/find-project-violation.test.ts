import { expect, it } from 'vitest';
import { ensureOrgProject } from '../../../activities/environments/org-project.ts';
import { ensureZoneNamespace } from '../../../activities/environments/zone-namespace.ts';
import { loadConfig } from '../../../src/config.ts';
import { findProjectViolation } from '../../../src/emulators/cluster/find-project-violation.ts';
import { type Application, ownCluster } from '../../../src/kinds/argo-cd.ts';
import { openTestStore } from '../../support/open-test-store.ts';

const repoUrl = 'https://code.test/acme/gitops.git';
const spec: Application['spec'] = {
  project: 'org-acme',
  source: { repoURL: repoUrl, path: 'chart', targetRevision: 'main' },
  destination: { server: ownCluster, namespace: 'shop-rc' },
};

async function judge(change: Partial<Application['spec']>, namespace = 'org-acme'): Promise<string | undefined> {
  const store = openTestStore();
  const { network } = loadConfig({});
  for (const [org, zone] of [
    ['acme', 'shop-rc'],
    ['other', 'bank-prod'],
  ] as const) {
    await ensureZoneNamespace(store, { org, product: 'p', zone, uid: `uid-${org}` }, { network, access: 'public' });
    await ensureOrgProject(store, { org, repoUrl: repoUrl.replace('acme', org), argoCdNamespace: 'argocd' });
  }
  const application = { metadata: { namespace, name: 'shop-rc' }, spec: { ...spec, ...change } } as Application;
  return await findProjectViolation(store, application, 'argocd');
}

it('allows an Application of the org to deploy its gitops repo to its zone', async () => {
  expect(await judge({})).toBeUndefined();
});

it.each<[string, Partial<Application['spec']>, string | undefined, RegExp]>([
  ['the project of another org', { project: 'org-other' }, undefined, /not permitted to use project 'org-other'/],
  ['from a namespace of another org', {}, 'org-other', /not permitted to use project 'org-acme'/],
  ['a project that does not exist', { project: 'default' }, undefined, /project default which does not exist/],
  [
    'another repo',
    { source: { ...spec.source, repoURL: 'https://evil.test/x.git' } },
    undefined,
    /repo .* is not permitted/,
  ],
  ['a zone of another org', { destination: { server: ownCluster, namespace: 'bank-prod' } }, undefined, /do not match/],
  [
    'a namespace of the system',
    { destination: { server: ownCluster, namespace: 'argocd' } },
    undefined,
    /do not match/,
  ],
  ['another cluster', { destination: { name: 'apart', namespace: 'shop-rc' } }, undefined, /do not match/],
])('refuses %s', async (_, change, namespace, message) => {
  expect(await judge(change, namespace)).toMatch(message);
});
