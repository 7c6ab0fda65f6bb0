import { hash } from 'node:crypto';
import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { paginate } from '../../../api/http/pagination.ts';
import { AgentRoleKind } from '../../../src/rules/agents/kinds.ts';
import { startApi, type ApiHarness } from '../../support/start-api.ts';

type Page = { items: number[]; continue?: string };

/** A list of numbers whose items the test changes between its pages. */
function withNumbers(numbers: number[], descending = false) {
  const app = new Hono().get('/:list', (c) => {
    const [token, limit] = [c.req.query('continue'), Number(c.req.query('limit'))];
    const query = { limit, ...(token !== undefined && { continue: token }) };
    return c.json(paginate(c, numbers, { toPosition: (number) => [number], descending, query }));
  });
  const read = async (query: string, list = 'one'): Promise<Page> => {
    const response = await app.request(`/${list}?${query}`);
    if (!response.ok) throw new Error(`${response.status}`);
    return (await response.json()) as Page;
  };
  return { numbers, read };
}

describe('a page', () => {
  it('continues after the last item of the page before', async () => {
    const { read } = withNumbers([3, 1, 10, 2]);
    const first = await read('limit=3');
    expect(first.items).toEqual([1, 2, 3]);
    expect(await read(`limit=3&continue=${first.continue}`)).toEqual({ items: [10] });
    expect(await read('limit=4')).toEqual({ items: [1, 2, 3, 10] });
  });

  it('continues after a deleted item, in both directions', async () => {
    const up = withNumbers([1, 2, 3, 4]);
    const first = await up.read('limit=2');
    up.numbers.splice(1, 1);
    expect((await up.read(`limit=2&continue=${first.continue}`)).items).toEqual([3, 4]);
    const down = withNumbers([1, 2, 3, 4], true);
    const last = await down.read('limit=2');
    expect(last.items).toEqual([4, 3]);
    down.numbers.splice(2, 1);
    expect((await down.read(`limit=2&continue=${last.continue}`)).items).toEqual([2, 1]);
  });

  it('is refused for a token of another list, of another filter, or of none', async () => {
    const { read } = withNumbers([1, 2, 3]);
    const { continue: token } = await read('limit=1&phase=a');
    expect((await read(`limit=2&phase=a&continue=${token}`)).items).toEqual([2, 3]);
    await expect(read(`limit=1&phase=b&continue=${token}`)).rejects.toThrow('500');
    await expect(read(`limit=1&phase=a&continue=${token}`, 'other')).rejects.toThrow('500');
    await expect(read('limit=1&continue=made-up')).rejects.toThrow('500');
  });

  it('continues when the parameters of the filter are sent in another order', async () => {
    const { read } = withNumbers([1, 2, 3]);
    const { continue: token } = await read('phase=a&limit=1&kind=b');
    expect((await read(`kind=b&limit=2&continue=${token}&phase=a`)).items).toEqual([2, 3]);
  });

  it('is in the order of the first part of the position, then of the next', async () => {
    const places = [
      ['b', 1],
      ['a', 2],
      ['b', 0],
      ['a', 1],
    ] as const;
    const app = new Hono().get('/', (c) =>
      c.json(paginate(c, places, { toPosition: (place) => place, query: { limit: 9 } })),
    );
    expect(await (await app.request('/')).json()).toEqual({
      items: [
        ['a', 1],
        ['a', 2],
        ['b', 0],
        ['b', 1],
      ],
    });
  });
});

const path = '/v1/orgs/acme/agentroles';
const create = async ({ store }: ApiHarness, name: string) =>
  await store.create(AgentRoleKind, {
    metadata: { namespace: 'org-acme', name },
    spec: { responsibilities: ['Work.'] },
  });
async function list({ request }: ApiHarness, query: string): Promise<{ names: string[]; next?: string | undefined }> {
  const page = (await (await request(`${path}?${query}`)).json()) as { items: { name: string }[]; continue?: string };
  return { names: page.items.map(({ name }) => name), next: page.continue };
}

describe('a list of resources', () => {
  it('is in the order of sort, and filters by text and time', async () => {
    const api = await startApi();
    for (const name of ['writer-2', 'writer-10', 'reader']) await create(api, name);
    expect((await list(api, '')).names).toEqual(['reader', 'writer-10', 'writer-2']);
    expect((await list(api, 'sort=-name')).names).toEqual(['writer-2', 'writer-10', 'reader']);
    expect((await list(api, 'q=WRITER&sort=-name')).names).toEqual(['writer-2', 'writer-10']);
    expect((await list(api, 'q=%20Writer%20')).names).toEqual(['writer-10', 'writer-2']);
    expect((await list(api, 'sort=-createdAt')).names).toEqual((await list(api, 'sort=createdAt')).names.toReversed());
    expect((await list(api, 'since=2099-01-01T00:00:00Z')).names).toEqual([]);
    expect((await list(api, 'until=2000-01-01T00:00:00Z')).names).toEqual([]);
    expect((await list(api, 'since=2000-01-01T00:00:00Z&until=2099-01-01T00:00:00Z')).names).toHaveLength(3);
  });

  it('continues after a resource that was deleted', async () => {
    const api = await startApi();
    for (const name of ['a', 'b', 'c']) await create(api, name);
    const { next } = await list(api, 'limit=2');
    await api.store.delete(AgentRoleKind, { namespace: 'org-acme', name: 'b' });
    expect((await list(api, `limit=2&continue=${next}`)).names).toEqual(['c']);
  });

  it.each([
    'continue=made-up',
    'limit=0x5',
    'limit=1e1',
    'limit=%205',
    'limit=0',
    'limit=501',
    'sort=size',
    'q=',
    'q=%20',
  ])('422: rejects %s', async (query) => {
    const { request } = await startApi();
    expect((await request(`${path}?${query}`)).status).toBe(422);
  });

  it('422: rejects a person without a name', async () => {
    const { request } = await startApi();
    expect((await request('/v1/orgs/acme/releases?startedBy=%20')).status).toBe(422);
  });
});

describe('a token that a caller computed', () => {
  it.each([[{ toString: null }], [[{ toString: null }]], [[null]], ['name']])(
    '422: has no position %j',
    async (position) => {
      const { request } = await startApi();
      const path = '/v1/access/users';
      const digest = hash('sha256', JSON.stringify([`/api${path}`, [], position]), 'base64url').slice(0, 16);
      const token = Buffer.from(JSON.stringify([position, digest])).toString('base64url');
      const response = await request(`${path}?continue=${token}`, { role: 'platform-admin' });
      expect(await response.json()).toMatchObject({ status: 422, reason: 'expired-page' });
    },
  );
});
