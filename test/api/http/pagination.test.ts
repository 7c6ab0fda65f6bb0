import { expect, it } from 'vitest';
import { paginate } from '../../../api/http/pagination.ts';
import { startApi } from '../../support/start-api.ts';

const items = ['a', 'b', 'c'];
const getKey = (item: string): string => item;

it('continues after the last item of the previous page', () => {
  expect(paginate(items, getKey, { limit: 2 })).toEqual({ items: ['a', 'b'], continue: 'b' });
  expect(paginate(items, getKey, { limit: 2, continue: 'b' })).toEqual({ items: ['c'] });
});

it('rejects a continue token that is not in the list', () => {
  expect(() => paginate(items, getKey, { limit: 2, continue: 'gone' })).toThrow('The list has changed');
});

it('422: rejects a made-up continue token', async () => {
  const { request } = await startApi();
  const response = await request('/v1/orgs/acme/products?continue=made-up');
  expect(response.status).toBe(422);
  expect(await response.json()).toMatchObject({ errors: [{ pointer: '?continue' }] });
});
