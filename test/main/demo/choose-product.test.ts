import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openDemoState } from '../../../src/clients/demo/demo-state.ts';
import { chooseProduct } from '../../../src/main/demo/choose-product.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';

const openState = async () => await openDemoState(join(await createScratchFolder(), 'demo.json'));
const isFree = async (): Promise<boolean> => false;

it.each([
  ['/home/ada/My Cool.Repo (v2)', 'my-cool-repo-v2'],
  ['https://example.com/acme/Shop.git/', 'shop'],
  ['git@example.com:shop.git', 'shop'],
  ['/home/ada/123', 'app'],
  ['/home/ada/hello', 'hello-2'],
  ['/home/ada/gitops', 'gitops-2'],
])('names the Product of %s %s', async (source, name) => {
  expect(await chooseProduct(await openState(), source, isFree)).toBe(name);
});

it('keeps the Product of a repository, and gives no other repository its name', async () => {
  const state = await openState();
  expect(await chooseProduct(state, '/one/shop', isFree)).toBe('shop');
  expect(await chooseProduct(state, '/two/shop', isFree)).toBe('shop-2');
  const reopened = await openDemoState(state.file);
  expect(await chooseProduct(reopened, '/one/shop', async () => true)).toBe('shop');
  expect(await chooseProduct(reopened, '/three/shop', async (name) => name === 'shop-3')).toBe('shop-4');
});
