import { expect, it } from 'vitest';
import { readAll } from '../../../../src/clients/ui/api/read-all.ts';

it('reads a list to its end, in its order, with the other facts of the first page', async () => {
  const names = Array.from({ length: 1_201 }, (_, index) => `token-${index}`);
  const queries: object[] = [];
  const list = await readAll(async (query: { limit: number; continue?: string }) => {
    queries.push(query);
    const start = Number(query.continue ?? 0);
    const end = start + query.limit;
    const page = { items: names.slice(start, end), total: names.length };
    return await Promise.resolve(end < names.length ? { ...page, continue: String(end) } : page);
  });
  expect(list).toEqual({ items: names, total: 1_201 });
  expect(queries).toEqual([{ limit: 500 }, { limit: 500, continue: '500' }, { limit: 500, continue: '1000' }]);
});
