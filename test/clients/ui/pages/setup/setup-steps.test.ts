import { expect, it } from 'vitest';
import { listSetupSteps, pickStep } from '../../../../../src/clients/ui/pages/setup/setup-steps.ts';

const nothing = {
  hasRootUser: false,
  me: undefined,
  org: undefined,
  connection: undefined,
  provider: undefined,
  products: undefined,
};
const pick = (facts: object, asked?: Parameters<typeof pickStep>[1]) =>
  pickStep(listSetupSteps({ ...nothing, ...facts }), asked).name;

it('begins with the first step that is not done', () => {
  expect(pick({})).toBe('root');
  expect(pick({ hasRootUser: true })).toBe('org');
  expect(pick({ hasRootUser: true, org: 'acme', connection: { connected: true } })).toBe('models');
  const models = { source: 'installation', hasKey: true, org: 'acme', actions: [] };
  const all = { hasRootUser: true, org: 'acme', connection: { connected: true }, provider: models };
  expect(pick(all)).toBe('product');
  expect(pick({ ...all, products: ['shop'] })).toBe('product');
});

it('shows the step of the address, but none that needs a step before it', () => {
  expect(pick({ hasRootUser: true, org: 'acme' }, 'product')).toBe('product');
  expect(pick({ hasRootUser: true, org: 'acme' }, 'root')).toBe('root');
  expect(pick({ hasRootUser: true }, 'models')).toBe('org');
});
