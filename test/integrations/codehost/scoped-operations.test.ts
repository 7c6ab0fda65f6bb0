import { expect, it, onTestFinished, vi } from 'vitest';
import { createFolder } from '../../emulators/codehost/codehost-fixture.ts';
import { connectShop } from './shop-codehost.ts';

type TokenRequest = { repositories?: string[]; permissions: Record<string, string> };

/** Records the requests for installation tokens. */
function recordTokenRequests(): TokenRequest[] {
  const requests: TokenRequest[] = [];
  const { fetch: real } = globalThis;
  const spy = vi.spyOn(globalThis, 'fetch').mockImplementation(async (...call) => {
    if (String(call[0]).endsWith('/access_tokens')) requests.push(JSON.parse(String(call[1]?.body)) as TokenRequest);
    return await real(...call);
  });
  onTestFinished(() => spy.mockRestore());
  return requests;
}

it('gets a token for git that other repos and other routes refuse', async () => {
  const { shop, host } = await connectShop();
  await shop.codehost.seedRepository('acme/vault', await createFolder({ 'secret.txt': 'secret\n' }));
  const { authorization } = await host.getGitRemote('acme/shop');
  const ask = async (path: string, token: string, body?: object): Promise<number> => {
    const request = body && { method: 'POST', body: JSON.stringify(body) };
    const url = `${shop.codehost.apiUrl}/repos/acme/${path}`;
    return (await fetch(url, { ...request, headers: { authorization: token } })).status;
  };
  const issue = { title: 'Approved' };
  expect(await ask('shop/contents/README.md', authorization)).toBe(200);
  expect(await ask('vault/contents/secret.txt', authorization)).toBe(404);
  expect(await ask('shop/issues', authorization, issue)).toBe(403);
  // A token of the whole installation may do both.
  expect(await ask('vault/contents/secret.txt', `token ${shop.token}`)).toBe(200);
  expect(await ask('shop/issues', `token ${shop.token}`, issue)).toBe(201);
});

it('limits each token to the repo and the permissions of its operation, and reuses it', async () => {
  const { host } = await connectShop();
  const requests = recordTokenRequests();
  const repositories = ['shop'];
  await host.listIssues('acme/shop', { state: 'open' });
  await host.getCommit('acme/shop', (await host.findBranchHead('acme/shop', 'main')) ?? '');
  expect(requests).toEqual([
    { repositories, permissions: { contents: 'read', issues: 'read', pull_requests: 'read', metadata: 'read' } },
  ]);
  const { number } = await host.createIssue('acme/shop', { title: 'A', body: '', labels: [] });
  await host.addLabels('acme/shop', number, ['bug']);
  await host.ensureTag('acme/shop', {
    name: 'v1.0.0',
    commit: (await host.findBranchHead('acme/shop', 'main')) ?? '',
  });
  expect(requests.slice(1)).toEqual([
    { repositories, permissions: { issues: 'write', pull_requests: 'write', metadata: 'read' } },
    { repositories, permissions: { contents: 'write', issues: 'read', pull_requests: 'write', metadata: 'read' } },
  ]);
  await host.ensureRepository('acme/gitops', 'The desired state');
  expect(requests.slice(3)).toEqual([{ permissions: { administration: 'write', metadata: 'read' } }]);
});

it('reports a repo that does not exist as missing', async () => {
  const { host } = await connectShop();
  await expect(host.getRepository('acme/none')).rejects.toMatchObject({ code: 'not-found' });
  await expect(host.getGitRemote('acme/none')).rejects.toMatchObject({ code: 'not-found' });
  expect(await host.findBranchHead('acme/none', 'main')).toBeUndefined();
});
