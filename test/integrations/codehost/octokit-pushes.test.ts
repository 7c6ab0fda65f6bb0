import { expect, it } from 'vitest';
import { pushOperations } from '../../../src/integrations/codehost/octokit-pushes.ts';
import { pushBranch } from '../../emulators/codehost/codehost-fixture.ts';
import { startScriptedCodehost } from './scripted-codehost.ts';
import { connectShop } from './shop-codehost.ts';

const list = '/repos/acme/shop/activity?ref=refs%2Fheads%2Ffix&per_page=100';
const push = (after: string, actor: object | null = { login: 'bob', type: 'User' }) => ({
  before: 'base',
  after,
  actor,
});

it('lists the pushes to a branch with the people who made them, newest first', async () => {
  const { shop, host } = await connectShop();
  const { codehost, token } = shop;
  const byBot = await pushBranch(codehost, { token, branch: 'fix', files: { 'a.txt': 'a\n' } });
  const byOwner = await pushBranch(codehost, { token: codehost.userToken, branch: 'fix', files: { 'b.txt': 'b\n' } });
  await pushBranch(codehost, { token, branch: 'other', files: { 'c.txt': 'c\n' } });
  await host.deleteBranch('acme/shop', 'fix');
  expect(await host.listPushes('acme/shop', 'fix')).toEqual([
    { before: byOwner, after: '0'.repeat(40), people: [] },
    { before: byBot, after: byOwner, people: ['owner'] },
    { after: byBot, people: [] },
  ]);
  expect(await host.listPushes('acme/shop', 'none')).toEqual([]);
});

it('does not know the account of a push that was deleted', async () => {
  const { client } = await startScriptedCodehost({ [`GET ${list}`]: { body: [push('head', null)] } });
  expect(await pushOperations(client).listPushes('acme/shop', 'fix')).toEqual([{ before: 'base', after: 'head' }]);
});

it('lists no pushes of a code host without the list', async () => {
  const { client } = await startScriptedCodehost({});
  expect(await pushOperations(client).listPushes('acme/shop', 'fix')).toEqual([]);
});

it('reads all pages up to 1,000 pushes', async () => {
  const page = Array.from({ length: 100 }, (_, index) => push(String(index)));
  const next = `${list}&after=cursor`;
  const { client, requests } = await startScriptedCodehost({
    [`GET ${list}`]: { body: page, next },
    [`GET ${next}`]: { body: page, next },
  });
  expect(await pushOperations(client).listPushes('acme/shop', 'fix')).toHaveLength(1_000);
  expect(requests).toHaveLength(10);
});
