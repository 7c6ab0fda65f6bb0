import { expect, it } from 'vitest';
import { SecretKind } from '../../../src/rules/core-kinds.ts';
import { anApp, aCodehost, aFolder, pushBranch } from '../../local/codehost/a-codehost.ts';
import { startApi } from '../../support/start-api.ts';

/** The org "acme" with the Product "shop", an issue 1, an open pull request 2 and a closed one 3; no Temporal. */
async function aShop() {
  const codehost = await aCodehost();
  await codehost.seedRepository('acme/shop', await aFolder({ 'README.md': 'shop\n' }));
  const { app } = await anApp(codehost);
  const write = async (method: string, path: string, body: object): Promise<void> => {
    const headers = { authorization: `token ${codehost.userToken}` };
    const url = `${codehost.apiUrl}/repos/acme/shop${path}`;
    const response = await fetch(url, { method, headers, body: JSON.stringify(body) });
    expect(response.ok).toBe(true);
  };
  await write('POST', '/issues', { title: 'An issue' });
  for (const branch of ['open', 'closed']) {
    await pushBranch(codehost, { token: codehost.userToken, branch, files: { [branch]: 'text\n' } });
    await write('POST', '/pulls', { title: branch, head: branch, base: 'main' });
  }
  await write('PATCH', '/pulls/3', { state: 'closed' });

  const { request, store } = await startApi({ role: 'org-admin', codehostApiUrl: codehost.apiUrl });
  const data = { 'app-id': encoded(String(app.id)), 'private-key': encoded(app.pem) };
  await store.create(SecretKind, { metadata: { namespace: 'org-acme', name: 'codehost-app' }, type: 'Opaque', data });
  const post = async (path: string, body: object): Promise<Response> =>
    await request(`/v1/orgs/acme/${path}`, { method: 'POST', body });
  await post('products', { name: 'shop', spec: { repos: ['acme/shop'] } });
  await post('agentroles', { name: 'writer', spec: { responsibilities: ['Write.'] } });
  const steps = [{ name: 'write', type: 'agent', role: 'writer', mode: 'report' }];
  await post('agentworkflows', { name: 'change', spec: { enabled: true, triggers: [], steps } });
  return async (about: object) => {
    const response = await post('agentworkflowruns', { agentWorkflow: 'change', product: 'shop', ...about });
    return { status: response.status, problem: (await response.json()) as object };
  };
}
const encoded = (text: string): string => Buffer.from(text).toString('base64');

it('503, 404, 422: starts on an open pull request that is there, and on one thing only', async () => {
  const start = await aShop();
  // So far all is well: the next would be the workflow.
  expect(await start({ issue: 1 })).toMatchObject({ status: 503 });
  expect(await start({ pullRequest: 2 })).toMatchObject({ status: 503 });
  expect(await start({ target: { number: 2, kind: 'pull-request' } })).toMatchObject({ status: 503 });
  expect(await start({ pullRequest: 1 })).toMatchObject({ status: 404 });
  expect(await start({ pullRequest: 9 })).toMatchObject({ status: 404 });
  expect(await start({ pullRequest: 3 })).toMatchObject({
    status: 422,
    problem: { detail: expect.stringContaining('#3 of acme/shop is closed'), errors: [{ pointer: '/pullRequest' }] },
  });
  expect(await start({ pullRequest: 2, issue: 1 })).toMatchObject({
    status: 422,
    problem: { errors: [{ pointer: '/pullRequest', detail: 'says the same as issue: leave one out' }] },
  });
  expect(await start({ target: { number: 1 }, issue: 1 })).toMatchObject({
    status: 422,
    problem: { errors: [{ pointer: '/issue' }] },
  });
});
