import { describe, expect, it } from 'vitest';
import * as evidence from '../../../src/rules/changes/evidence.ts';
import { AgentWorkflowRunKind } from '../../../src/rules/changes/kinds.ts';
import { ConfigMapKind } from '../../../src/kinds/kubernetes.ts';
import { ReleaseKind } from '../../../src/rules/releases/kinds.ts';
import { startApi } from '../../support/start-api.ts';
import { aReleaseWithScreenshots, aRunWithEvidence, file, namespace, screenshotItems } from './artifact-fixture.ts';

describe('listRunArtifacts', () => {
  it('200: returns the evidence files of each step with their URLs', async () => {
    const { request, store } = await startApi({ role: 'viewer' });
    await aRunWithEvidence(store, [file('image/png')]);
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

  it('404: requires an existing run', async () => {
    const { request } = await startApi({ role: 'viewer' });
    expect((await request('/v1/orgs/acme/agentworkflowruns/run-2/artifacts')).status).toBe(404);
  });

  it('200: returns the screenshots of the Releases of the merge commit', async () => {
    const { request, store } = await startApi({ role: 'viewer' });
    await aRunWithEvidence(store, [file('image/png')]);
    await aReleaseWithScreenshots(store);
    const run = '/v1/orgs/acme/agentworkflowruns/run-1/artifacts';
    expect(await (await request(run)).json()).toMatchObject({ items: [{ step: 'implement' }] });
    await store.updateStatus(AgentWorkflowRunKind, { namespace, name: 'run-1' }, ({ status }) => ({
      ...status!,
      mergeCommit: 'c',
    }));
    expect(await (await request(run)).json()).toMatchObject({ items: [{ step: 'implement' }, ...screenshotItems] });
  });
});

describe('getArtifact', () => {
  it.each([
    ['image/png', 'inline', 'image/png'],
    ['image/svg+xml', 'inline', 'image/svg+xml'],
    ['text/plain', 'inline', 'text/plain; charset=utf-8'],
    ['application/json', 'inline', 'application/json'],
    ['video/mp4', 'inline', 'video/mp4'],
    ['text/html', 'attachment', 'text/html'],
    ['application/pdf', 'attachment', 'application/pdf'],
    ['application/octet-stream', 'attachment', 'application/octet-stream'],
  ])('200: sends type %s as %s, without permission to run scripts', async (type, disposition, contentType) => {
    const { request, store } = await startApi({ role: 'viewer' });
    await aRunWithEvidence(store, [file(type)]);
    const response = await request('/v1/orgs/acme/artifacts/artifact-1');
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('bytes');
    expect(response.headers.get('content-type')).toBe(contentType);
    expect(response.headers.get('content-disposition')).toBe(
      `${disposition}; filename="the page.png"; filename*=UTF-8''the%20page.png`,
    );
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none';/);
    expect(response.headers.get('content-security-policy')).not.toMatch(/script|allow-/);
    expect(response.headers.get('cross-origin-resource-policy')).toBe('same-origin');
    expect(response.headers.get('etag')).toMatch(/^"\d+\.[\w-]+"$/);
  });

  it('200: escapes the file name in the header', async () => {
    const { request, store } = await startApi({ role: 'viewer' });
    await aRunWithEvidence(store, [file('image/png', { name: 'a"; x=\'y (1) é.png' })]);
    const header = (await request('/v1/orgs/acme/artifacts/artifact-1')).headers.get('content-disposition');
    expect(header).toBe(
      `inline; filename="a__ x__y _1_ _.png"; filename*=UTF-8''a%22%3B%20x%3D%27y%20%281%29%20%C3%A9.png`,
    );
  });

  it('404: hides other ConfigMaps of the org; 403: hides other orgs', async () => {
    const { request, store } = await startApi({ role: 'viewer' });
    await store.create(ConfigMapKind, {
      metadata: { namespace, name: 'settings' },
      binaryData: { [evidence.artifactDataKey]: Buffer.from('ours').toString('base64') },
    });
    for (const name of ['settings', 'artifact-9', '..%2Fsettings'])
      expect((await request(`/v1/orgs/acme/artifacts/${name}`)).status, name).toBe(404);
    await aRunWithEvidence(store, [file('image/png')]);
    expect((await request('/v1/orgs/other/artifacts/artifact-1')).status).toBe(403);
  });

  it('404: deletes the file with its run', async () => {
    const { request, store } = await startApi({ role: 'viewer' });
    await aRunWithEvidence(store, [file('image/png')]);
    await store.delete(AgentWorkflowRunKind, { namespace, name: 'run-1' });
    expect((await request('/v1/orgs/acme/artifacts/artifact-1')).status).toBe(404);
  });

  it('200: shows a screenshot placeholder inline, without permission to run scripts; 404: deletes it with its Release', async () => {
    const { request, store } = await startApi({ role: 'viewer' });
    await aReleaseWithScreenshots(store);
    const path = '/v1/orgs/acme/artifacts/artifact-shop-prod';
    const { status, headers } = await request(path);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('image/svg+xml');
    expect(headers.get('content-disposition')).toMatch(/^inline;/);
    expect(headers.get('content-security-policy')).toContain("sandbox; default-src 'none'");
    await store.delete(ReleaseKind, { namespace, name: 'shop-v1.0.0' });
    expect((await request(path)).status).toBe(404);
  });
});
