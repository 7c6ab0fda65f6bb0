import { describe, expect, it } from 'vitest';
import { changeAgentWorkflow } from '../../../src/rules/agents/catalog.ts';
import * as evidence from '../../../src/rules/changes/evidence.ts';
import { AgentWorkflowRunKind } from '../../../src/rules/changes/kinds.ts';
import { runLabel } from '../../../src/rules/changes/run-names.ts';
import { ConfigMapKind } from '../../../src/rules/core-kinds.ts';
import { ReleaseKind } from '../../../src/rules/releases/kinds.ts';
import { ownerReference } from '../../../src/rules/resource.ts';
import type { Store } from '../../../src/store/store.ts';
import { startApi } from '../../support/start-api.ts';

const namespace = 'org-acme';
type File = { id: string; name: string; type: string; content: string };

async function aRunWith(store: Store, files: File[]): Promise<void> {
  const ref = { namespace, name: 'run-1' };
  const run = await store.create(AgentWorkflowRunKind, {
    metadata: ref,
    spec: { agentWorkflow: 'change', product: 'shop', startedBy: 'jo', steps: changeAgentWorkflow.steps, roles: {} },
  });
  await store.updateStatus(AgentWorkflowRunKind, ref, () => ({
    phase: 'Running' as const,
    steps: [
      {
        name: 'implement',
        phase: 'Succeeded' as const,
        evidence: files.map(({ id, name, type, content }) => {
          return { artifact: evidence.artifactPointer(id), name, type, sizeBytes: content.length };
        }),
      },
      { name: 'merge', phase: 'Pending' as const },
    ],
  }));
  for (const { id, name, type, content } of files)
    await store.create(ConfigMapKind, {
      metadata: {
        namespace,
        name: id,
        labels: { [evidence.artifactRunLabel]: run.metadata.uid },
        annotations: { [evidence.artifactNameAnnotation]: name, [evidence.artifactTypeAnnotation]: type },
        ownerReferences: [ownerReference(run)],
      },
      binaryData: { [evidence.artifactDataKey]: Buffer.from(content).toString('base64') },
    });
}

const file = (type: string, more: Partial<File> = {}): File => ({
  id: 'artifact-1',
  name: 'shots/the page.png',
  type,
  content: 'bytes',
  ...more,
});

describe('the evidence files of a run', () => {
  it('200: are listed step by step, with where each is', async () => {
    const { request, store } = await startApi({ role: 'viewer' });
    await aRunWith(store, [file('image/png')]);
    const response = await request('/v1/orgs/acme/agentworkflowruns/run-1/artifacts');
    expect(response.status).toBe(200);
    const { items } = (await response.json()) as { items: { url: string }[] };
    expect(items).toEqual([
      {
        id: 'artifact-1',
        artifact: 'artifact:artifact-1',
        step: 'implement',
        name: 'shots/the page.png',
        type: 'image/png',
        sizeBytes: 5,
        url: '/api/v1/orgs/acme/artifacts/artifact-1',
      },
    ]);
    expect((await request(items[0]?.url ?? '')).status).toBe(200);
  });

  it('404: for a run that is not there', async () => {
    const { request } = await startApi({ role: 'viewer' });
    expect((await request('/v1/orgs/acme/agentworkflowruns/run-2/artifacts')).status).toBe(404);
  });
});

describe('the pictures of a Release', () => {
  const screenshot = (zone: string, more: object = {}) => ({
    artifact: `artifact:artifact-${zone}`,
    name: `${zone}.png`,
    type: 'image/png',
    sizeBytes: 5,
    at: '2026-01-01T00:00:00.000Z',
    ...more,
  });

  async function aReleaseWithPictures(store: Store) {
    const ref = { namespace, name: 'shop-v1.0.0' };
    const release = await store.create(ReleaseKind, {
      metadata: { ...ref, labels: { [runLabel]: 'run-1' } },
      spec: { product: 'shop', repo: 'acme/shop', commit: 'c', version: 'v1.0.0', startedBy: 'jo' },
    });
    const failure = 'There is no browser.';
    await store.updateStatus(ReleaseKind, ref, () => ({
      phase: 'Promoting' as const,
      zones: [
        { name: 'shop-rc', phase: 'Verified' as const, screenshot: screenshot('shop-rc') },
        { name: 'shop-prod', phase: 'Verified' as const, screenshot: screenshot('shop-prod', { failure }) },
        { name: 'shop-eu', phase: 'Pending' as const },
      ],
    }));
    await store.create(ConfigMapKind, {
      metadata: {
        namespace,
        name: 'artifact-shop-prod',
        labels: { [evidence.artifactReleaseLabel]: release.metadata.uid },
        annotations: { [evidence.artifactTypeAnnotation]: 'image/svg+xml' },
        ownerReferences: [ownerReference(release)],
      },
      binaryData: { [evidence.artifactDataKey]: Buffer.from('<svg/>').toString('base64') },
    });
  }
  const listed = [
    { id: 'artifact-shop-rc', release: 'shop-v1.0.0', zone: 'shop-rc', name: 'shop-rc.png', type: 'image/png' },
    { id: 'artifact-shop-prod', release: 'shop-v1.0.0', zone: 'shop-prod', failure: 'There is no browser.' },
  ];

  it('200: are listed zone by zone, also with the run whose merge it carries', async () => {
    const { request, store } = await startApi({ role: 'viewer' });
    await aRunWith(store, [file('image/png')]);
    await aReleaseWithPictures(store);
    const ofRelease = await request('/v1/orgs/acme/releases/shop-v1.0.0/artifacts');
    expect(await ofRelease.json()).toMatchObject({ items: listed });
    const run = '/v1/orgs/acme/agentworkflowruns/run-1/artifacts';
    expect(await (await request(run)).json()).toMatchObject({ items: [{ step: 'implement' }] });
    await store.updateStatus(AgentWorkflowRunKind, { namespace, name: 'run-1' }, ({ status }) => ({
      ...status!,
      mergeCommit: 'c',
    }));
    expect(await (await request(run)).json()).toMatchObject({ items: [{ step: 'implement' }, ...listed] });
  });

  it('200: are shown inline, the placeholder too, which can run nothing; 404: go with their Release', async () => {
    const { request, store } = await startApi({ role: 'viewer' });
    await aReleaseWithPictures(store);
    const path = '/v1/orgs/acme/artifacts/artifact-shop-prod';
    const { status, headers } = await request(path);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('image/svg+xml');
    expect(headers.get('content-disposition')).toMatch(/^inline;/);
    expect(headers.get('content-security-policy')).toContain("sandbox; default-src 'none'");
    await store.delete(ReleaseKind, { namespace, name: 'shop-v1.0.0' });
    expect((await request(path)).status).toBe(404);
    expect((await request('/v1/orgs/acme/releases/shop-v1.0.0/artifacts')).status).toBe(404);
  });
});

describe('an evidence file', () => {
  it.each([
    ['image/png', 'inline', 'image/png'],
    ['image/svg+xml', 'attachment', 'image/svg+xml'],
    ['text/plain', 'inline', 'text/plain; charset=utf-8'],
    ['application/json', 'inline', 'application/json'],
    ['video/mp4', 'inline', 'video/mp4'],
    ['text/html', 'attachment', 'text/html'],
    ['application/pdf', 'attachment', 'application/pdf'],
    ['application/octet-stream', 'attachment', 'application/octet-stream'],
  ])('200: of type %s is %s, and can run nothing', async (type, how, sent) => {
    const { request, store } = await startApi({ role: 'viewer' });
    await aRunWith(store, [file(type)]);
    const response = await request('/v1/orgs/acme/artifacts/artifact-1');
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('bytes');
    expect(response.headers.get('content-type')).toBe(sent);
    expect(response.headers.get('content-disposition')).toBe(
      `${how}; filename="the page.png"; filename*=UTF-8''the%20page.png`,
    );
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none';/);
    expect(response.headers.get('content-security-policy')).not.toMatch(/script|allow-/);
    expect(response.headers.get('cross-origin-resource-policy')).toBe('same-origin');
    expect(response.headers.get('etag')).toMatch(/^"\d+"$/);
  });

  it('200: has a name that cannot end its header, nor add one', async () => {
    const { request, store } = await startApi({ role: 'viewer' });
    await aRunWith(store, [file('image/png', { name: 'a"; x=\'y (1) é.png' })]);
    const header = (await request('/v1/orgs/acme/artifacts/artifact-1')).headers.get('content-disposition');
    expect(header).toBe(
      `inline; filename="a__ x__y _1_ _.png"; filename*=UTF-8''a%22%3B%20x%3D%27y%20%281%29%20%C3%A9.png`,
    );
  });

  it('404: is no other config object of the org, and none of another org', async () => {
    const { request, store } = await startApi({ role: 'viewer' });
    await store.create(ConfigMapKind, {
      metadata: { namespace, name: 'settings' },
      binaryData: { [evidence.artifactDataKey]: Buffer.from('ours').toString('base64') },
    });
    for (const name of ['settings', 'artifact-9', '..%2Fsettings'])
      expect((await request(`/v1/orgs/acme/artifacts/${name}`)).status, name).toBe(404);
    await aRunWith(store, [file('image/png')]);
    expect((await request('/v1/orgs/other/artifacts/artifact-1')).status).toBe(403);
  });

  it('404: goes with its run', async () => {
    const { request, store } = await startApi({ role: 'viewer' });
    await aRunWith(store, [file('image/png')]);
    await store.delete(AgentWorkflowRunKind, { namespace, name: 'run-1' });
    expect((await request('/v1/orgs/acme/artifacts/artifact-1')).status).toBe(404);
  });
});
