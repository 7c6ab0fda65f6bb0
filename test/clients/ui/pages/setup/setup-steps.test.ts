import { expect, it } from 'vitest';
import { listSetupSteps, pickStep } from '../../../../../src/clients/ui/pages/setup/setup-steps.ts';

const nothing = {
  hasRootUser: false,
  me: undefined,
  installation: undefined,
  status: undefined,
  org: undefined,
  connection: undefined,
  provider: undefined,
  products: undefined,
};
const status = { metrics: { reachable: true } };
const installation = { platformDomain: 'apps.example.com', checkedAt: '2026-11-25T08:00:00.000Z' };
const pick = (facts: object, asked?: Parameters<typeof pickStep>[1]) =>
  pickStep(listSetupSteps({ ...nothing, ...facts }), asked).name;

it('begins with the first step that is not done', () => {
  expect(pick({})).toBe('root');
  expect(pick({ hasRootUser: true })).toBe('domain');
  expect(pick({ hasRootUser: true, installation })).toBe('metrics');
  expect(pick({ hasRootUser: true, installation, status })).toBe('org');
  expect(pick({ hasRootUser: true, installation, status: { metrics: { reachable: false } } })).toBe('metrics');
  expect(pick({ hasRootUser: true, me: { platformAdmin: false }, status })).toBe('org');
  expect(pick({ hasRootUser: true, installation, org: 'acme', connection: { connected: true } })).toBe('models');
  const models = { source: 'installation', hasKey: true, org: 'acme', actions: [] };
  const all = { hasRootUser: true, installation, org: 'acme', connection: { connected: true }, provider: models };
  expect(pick(all)).toBe('product');
  expect(pick({ ...all, products: ['shop'] })).toBe('product');
});

it('asks a skipped step before the org no more once the org exists', () => {
  expect(pick({ hasRootUser: true, org: 'acme' })).toBe('codehost');
  expect(pick({ hasRootUser: true, org: 'acme' }, 'domain')).toBe('domain');
});

it('shows the step of the address, but none that needs a step before it', () => {
  expect(pick({ hasRootUser: true, org: 'acme' }, 'product')).toBe('product');
  expect(pick({ hasRootUser: true, org: 'acme' }, 'root')).toBe('root');
  expect(pick({ hasRootUser: true, installation, status }, 'models')).toBe('org');
  expect(pick({ hasRootUser: true, installation }, 'domain')).toBe('domain');
  expect(pick({ hasRootUser: true, installation }, 'org')).toBe('org');
  expect(pick({ hasRootUser: true }, 'org')).toBe('org');
  expect(pick({}, 'domain')).toBe('root');
});
