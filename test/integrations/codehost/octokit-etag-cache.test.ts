import { expect, it, onTestFinished, vi } from 'vitest';
import { octokitCodehost } from '../../../src/integrations/codehost/octokit.ts';
import { startShopFixture } from '../../emulators/codehost/codehost-fixture.ts';

const issues = 250;

/** Sets up an org with three pages of issues, and records the requests of its replicas. */
async function setUpManyIssues() {
  const { app, codehost } = await startShopFixture();
  const credentials = { appId: String(app.id), privateKey: app.pem, account: 'acme', version: '1' };
  const replica = async () => {
    const options = { apiUrl: codehost.apiUrl, findCredentials: async () => credentials, throttle: false };
    return await octokitCodehost(options).forOrg('acme');
  };
  const asPerson = async (method: string, path: string, body: object): Promise<void> => {
    const headers = { authorization: `token ${codehost.userToken}` };
    const response = await fetch(`${codehost.apiUrl}/repos/acme/shop/issues${path}`, {
      method,
      headers,
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(await response.text());
  };
  for (let number = 1; number <= issues; number += 1) await asPerson('POST', '', { title: `Issue ${number}` });
  const statuses: number[] = [];
  const { fetch: real } = globalThis;
  const spy = vi.spyOn(globalThis, 'fetch').mockImplementation(async (...call) => {
    const response = await real(...call);
    if (/\/issues\?/.test(String(call[0])) && call[1]?.method === 'GET') statuses.push(response.status);
    return response;
  });
  onTestFinished(() => spy.mockRestore());
  const read = async (host: Awaited<ReturnType<typeof replica>>) => {
    statuses.length = 0;
    const found = await host.listIssues('acme/shop', { state: 'open' });
    return { found, statuses: [...statuses] };
  };
  return { replica, asPerson, read };
}

it('downloads only changed pages, and returns changes of other replicas and people', async () => {
  const { replica, asPerson, read } = await setUpManyIssues();
  const [one, other] = [await replica(), await replica()];
  expect((await read(one)).statuses).toEqual([200, 200, 200]);
  const again = await read(one);
  expect(again.statuses).toEqual([304, 304, 304]);
  expect(again.found.map(({ number }) => number)).toEqual(Array.from({ length: issues }, (_, at) => issues - at));
  expect((await read(other)).statuses).toEqual([200, 200, 200]);

  await asPerson('PATCH', '/120', { title: 'Renamed' });
  for (const host of [one, other]) {
    const { found, statuses } = await read(host);
    expect(statuses).toEqual([304, 200, 304]);
    expect(found.find(({ number }) => number === 120)?.title).toBe('Renamed');
  }
  await asPerson('PATCH', '/250', { state: 'closed' });
  expect((await read(one)).found).toHaveLength(issues - 1);
});
