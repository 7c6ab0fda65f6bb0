import { expect, it } from 'vitest';
import { findCommitters } from '../../../activities/changes/find-committers.ts';
import { directoryBlobs } from '../../../src/integrations/blobs/directory.ts';
import { commitKey } from '../../../src/rules/changes/commit-key.ts';
import { pushBranch } from '../../emulators/codehost/codehost-fixture.ts';
import { connectShop } from '../../integrations/codehost/shop-codehost.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';

const repo = 'acme/shop';

/** Connects an emulated code host with the account "bob-dev", and pushes to the branch of a run with an address. */
async function createBranch() {
  const { shop, host } = await connectShop();
  shop.codehost.savePerson({ login: 'bob-dev', password: 'bob-password', emails: [] });
  const blobs = directoryBlobs(await createScratchFolder());
  let pushes = 0;
  const push = async (email: string, token = shop.token): Promise<string> => {
    const files = { 'greet.js': String((pushes += 1)) };
    return await pushBranch(shop.codehost, { token, branch: 'service/change-1', files, email });
  };
  const gitRef = 'refs/heads/service/change-1';
  const find = async (headSha: string, more: { org?: string; baseBranch?: string } = {}) =>
    await findCommitters(blobs, { org: 'acme', host, repo, gitRef, ...more }, headSha);
  return { push, find, blobs, ownerToken: shop.codehost.userToken };
}

it('names each account once, without the commits that the service made for the org', async () => {
  const { push, find, blobs } = await createBranch();
  const own = await push('service@localhost');
  await blobs.put(commitKey('acme', own), Buffer.alloc(0));
  expect(await find(own)).toEqual({ headSha: own, logins: [], hasUnknown: false });
  await push('7+bob-dev@users.noreply.localhost');
  const head = await push('bob-dev@users.noreply.localhost');
  expect(await find(head)).toEqual({ headSha: head, logins: ['bob-dev'], hasUnknown: false });
  // The org does not know the commits of another one.
  expect(await find(head, { org: 'globex' })).toMatchObject({ logins: ['bob-dev'], hasUnknown: true });
});

it('says that a committer is unknown without an account, without the base, and without the head', async () => {
  const { push, find } = await createBranch();
  const known = await push('bob-dev@users.noreply.localhost');
  expect(await find(known, { baseBranch: 'gone' })).toMatchObject({ logins: [], hasUnknown: true });
  expect(await find('a'.repeat(40))).toMatchObject({ logins: [], hasUnknown: true });
  expect(await find(await push('bob@home.example'))).toMatchObject({ logins: ['bob-dev'], hasUnknown: true });
});

it('names the account that pushed a commit under the address of another person', async () => {
  const { push, find, blobs, ownerToken } = await createBranch();
  const head = await push('bob-dev@users.noreply.localhost', ownerToken);
  expect(await find(head)).toEqual({ headSha: head, logins: ['bob-dev', 'owner'], hasUnknown: false });
  const byAgent = await push('service@localhost');
  await blobs.put(commitKey('acme', byAgent), Buffer.alloc(0));
  expect(await find(byAgent)).toEqual({ headSha: byAgent, logins: ['bob-dev', 'owner'], hasUnknown: false });
});
