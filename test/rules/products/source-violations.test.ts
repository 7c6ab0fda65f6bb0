import { expect, it } from 'vitest';
import type { Organization } from '../../../src/rules/orgs/kinds.ts';
import type { Product, ProductSpec } from '../../../src/rules/products/kinds.ts';
import type { ProductSource } from '../../../src/rules/products/source.ts';
import { sourceViolations } from '../../../src/rules/products/source-violations.ts';

const organization = { spec: { codehostAccount: 'Acme', gitopsRepo: 'acme/gitops' } } as Organization;
const template: ProductSource = { repo: 'acme/fresh', template: 'node-service' };
const build = (source: ProductSource | undefined, repos = ['acme/fresh']): ProductSpec => ({
  ...(source && { source }),
  repos,
  delivery: { zones: [] },
});
const find = (after: ProductSpec, before?: ProductSpec, status?: Product['status']): string[] =>
  sourceViolations(after, { before, status, organization }).map(({ pointer, detail }) => `${pointer} ${detail}`);

it('accepts a source of the account, and Products without one', () => {
  expect(find(build(template))).toEqual([]);
  expect(find(build(undefined, []))).toEqual([]);
});

it.each<[ProductSource, string[], string]>([
  [{ repo: 'acme/fresh' }, ['acme/fresh'], '/spec/source must have either a template or an archive'],
  [
    { ...template, archive: { sha256: 'a'.repeat(64) } },
    ['acme/fresh'],
    '/spec/source must have either a template or an archive',
  ],
  [
    { ...template, repo: 'other/fresh' },
    ['other/fresh'],
    '/spec/source/repo must be a repo of Acme, the account of the org',
  ],
  [template, ['acme/other'], '/spec/repos must contain acme/fresh'],
])('rejects %j with repos %j', (source, repos, expected) => {
  expect(find(build(source, repos))).toEqual([expected]);
});

it('accepts other repos once the repo of the source was made, because people may rename it', () => {
  const scaffold = { phase: 'Committing' as const, message: '', startedAt: '2026-01-01T00:00:00.000Z' };
  const renamed = build(template, ['acme/renamed']);
  const violation = ['/spec/repos must contain acme/fresh'];
  expect(find(renamed, build(template), { scaffold })).toEqual(violation);
  expect(find(renamed, build(template), { scaffold: { ...scaffold, commit: 'c0ffee' } })).toEqual([]);
});

it('rejects every change of the source', () => {
  const archive: ProductSource = { repo: 'acme/fresh', archive: { sha256: 'a'.repeat(64) } };
  for (const [after, before] of [
    [undefined, template],
    [template, undefined],
    [{ ...template, template: 'go-service' as const }, template],
    [{ ...archive, archive: { sha256: 'b'.repeat(64) } }, archive],
    [{ ...template, repo: 'acme/other' }, template],
  ] as const)
    expect(find(build(after), build(before))).toEqual([expect.stringMatching(/^\/spec\/source cannot change/)]);
  expect(find(build(template), build(template))).toEqual([]);
});
