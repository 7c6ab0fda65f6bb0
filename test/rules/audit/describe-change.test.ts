import { describe, expect, it } from 'vitest';
import { describeChange, type Write } from '../../../src/rules/audit/describe-change.ts';
import { apiVersion, type StoredObject } from '../../../src/rules/resource.ts';

const key = Buffer.from('the key of the installation');
const write = { action: 'updated', kind: 'Product', namespace: 'org-acme', name: 'shop' } as const;
const build = (content: object, version = apiVersion): StoredObject =>
  ({ apiVersion: version, kind: 'Product', metadata: { name: 'shop', resourceVersion: '1' }, ...content }) as never;
const describeFields = (before?: object, after?: object, change: Partial<Write> = {}) =>
  describeChange({ ...write, ...change, before: before && build(before), after: after && build(after) }, key).fields;
const describeSecret = (value: string, change: Partial<Write> = {}, secret = key) =>
  describeChange({ ...write, ...change, after: build({ data: { password: value } }, 'v1') }, secret).fields[0]?.after;

describe('describeChange', () => {
  it('lists only the fields that changed, with both values', () => {
    const zones = (promotionPolicy: string) => [{ name: 'shop-rc' }, { name: 'shop-prod', promotionPolicy }];
    expect(
      describeFields(
        { spec: { repos: ['acme/shop'], delivery: { zones: zones('manual') } } },
        { spec: { repos: ['acme/shop', 'acme/api'], delivery: { zones: zones('automatic') } } },
      ),
    ).toEqual([
      { field: 'spec.delivery.zones[shop-prod].promotionPolicy', before: 'manual', after: 'automatic' },
      { field: 'spec.repos[acme/api]', after: 'acme/api' },
    ]);
  });

  it('lists all fields of what was created or deleted', () => {
    const product = { spec: { repos: ['acme/shop'], statusPage: { public: true } } };
    expect(describeFields(undefined, product)).toEqual([
      { field: 'spec.repos[acme/shop]', after: 'acme/shop' },
      { field: 'spec.statusPage.public', after: true },
    ]);
    expect(describeFields(product).map(({ before }) => before)).toEqual(['acme/shop', true]);
  });

  it('shows that long texts differ after the part that it shows', () => {
    const prompt = 'x'.repeat(2_000);
    const [field] = describeFields({ spec: { prompt: `${prompt}a` } }, { spec: { prompt: `${prompt}b` } });
    expect(field?.before).toBe(`${'x'.repeat(1_000)}… (2001 characters)`);
    expect(field?.after).toBe(field?.before);
  });

  it('shows the length of what people wrote to each other', () => {
    expect(describeFields(undefined, { status: { timeline: [{ text: 'Call Jo at 555-0100' }] } })).toEqual([
      { field: 'status.timeline[0].text', after: '19 characters' },
    ]);
  });

  it('shows secrets by a fingerprint that depends on the value, the place and the key', () => {
    const first = describeSecret('one');
    expect(first).toMatch(/^fingerprint [0-9a-f]{16}$/);
    expect(describeSecret('one')).toBe(first);
    const others = [
      describeSecret('two'),
      describeSecret('one', { name: 'other' }),
      describeSecret('one', {}, Buffer.from('x')),
    ];
    expect(new Set([first, ...others]).size).toBe(4);
  });

  it('shows every text of another system, and fields of own kinds with telling names, by fingerprints', () => {
    const fields = describeFields(undefined, {
      spec: { token: 'a', apiKey: 'b', limits: { tokens: 3 }, expiresAt: 'c' },
    });
    expect(fields.map(({ after }) => String(after).split(' ')[0])).toEqual(['fingerprint', 'fingerprint', '3', 'c']);
    const other = describeChange({ ...write, after: build({ spec: { anything: 'a', count: 3 } }, 'v1') }, key).fields;
    expect(other.map(({ after }) => String(after).split(' ')[0])).toEqual(['fingerprint', '3']);
  });

  it.each([
    [100, undefined],
    [101, 1],
    [150, 50],
  ])('lists at most 100 fields of %i, and tells how many it left out', (length, omitted) => {
    const members = Array.from({ length }, (_, index) => `jo${index}@example.com`);
    const change = describeChange({ ...write, after: build({ spec: { members } }) }, key);
    expect([change.fields.length, change.omittedFields]).toEqual([100, omitted]);
  });
});
