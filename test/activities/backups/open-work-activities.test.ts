import { expect, it } from 'vitest';
import { createOpenWorkActivities } from '../../../activities/backups/open-work-activities.ts';
import { AgentWorkflowRunKind } from '../../../src/rules/changes/kinds.ts';
import { workflowIdAnnotation } from '../../../src/rules/changes/run-names.ts';
import { DomainKind } from '../../../src/rules/domains/kinds.ts';
import { ReleaseKind } from '../../../src/rules/releases/kinds.ts';
import { createInstallation, fill } from './backup-fixture.ts';

const namespace = 'org-acme';

it('lists what is not finished, and the loops of the org', async () => {
  const { store, blobs } = await createInstallation();
  await fill({ store, blobs });
  const spec = { agentWorkflow: 'change', product: 'hello', startedBy: 'ada@example.com', steps: [], roles: {} };
  const annotations = { [workflowIdAnnotation]: 'run-agent-workflow/acme/change/acme/hello#7' };
  const target = { repo: 'acme/hello', number: 7 };
  for (const [name, phase] of [
    ['waiting', 'WaitingForPerson'],
    ['done', 'Succeeded'],
  ] as const) {
    const metadata = { namespace, name, annotations };
    await store.create(AgentWorkflowRunKind, { metadata, spec: { ...spec, target } });
    await store.updateStatus(AgentWorkflowRunKind, metadata, () => ({ phase, steps: [] }));
  }
  const release = { namespace, name: 'hello-v0.1.0' };
  await store.updateStatus(ReleaseKind, release, () => ({ phase: 'Promoting' as const, startedBy: 'bob', zones: [] }));
  const { listOpenWork, listRestoredOrgs } = createOpenWorkActivities({ store });
  expect(await listRestoredOrgs()).toEqual(['acme']);
  expect(await listOpenWork({ org: 'acme' })).toMatchObject({
    isDeleting: false,
    hasCodehost: true,
    hasSlos: false,
    zones: [{ product: 'hello', zone: 'hello-rc', newestVersion: 'v0.1.0' }],
    releases: [{ product: 'hello', commit: 'abc', startedBy: 'bob', resume: { release: 'hello-v0.1.0' } }],
    runs: [{ run: 'change-hello-1' }, { run: 'waiting', target, workflowId: annotations[workflowIdAnnotation] }],
    schedules: [],
  });
  await store.updateStatus(ReleaseKind, release, () => ({ phase: 'Succeeded' as const, zones: [] }));
  expect((await listOpenWork({ org: 'acme' })).releases).toEqual([]);
});

it('lists each domain once, with all orgs that claim it', async () => {
  const { store } = await createInstallation();
  for (const org of ['acme', 'other'])
    await store.create(DomainKind, {
      metadata: { namespace: `org-${org}`, name: 'shop.example.com' },
      spec: { name: 'shop.example.com', kind: 'external', shared: false, token: 't' },
    });
  expect(await createOpenWorkActivities({ store }).listClaimedDomains()).toEqual([
    { domain: 'shop.example.com', orgs: ['acme', 'other'] },
  ]);
});
