import { expect, it } from 'vitest';
import { defaultRetentionMs } from '../../../src/rules/slos/slo-window.ts';
import { sloViolations } from '../../../src/rules/slos/slo-violations.ts';
import { buildLatencySlo, buildSlo } from './build-slo.ts';

const delivery = { zones: [{ name: 'shop-rc' }, { name: 'shop-prod' }] };
const listPointers = (spec: Parameters<typeof sloViolations>[0]): string[] =>
  sloViolations(spec, defaultRetentionMs).map(({ pointer, detail }) => `${pointer} ${detail}`);

it('accepts both indicators, in the release zones and in named zones', () =>
  expect(
    listPointers({
      delivery: { ...delivery, releaseZones: ['shop-prod'] },
      statusPage: { public: true, zones: ['shop-rc'] },
      slos: [buildSlo(), buildLatencySlo({ zones: ['shop-rc', 'shop-prod'], window: '14d' })],
    }),
  ).toEqual([]));

it.each([
  [{ slos: [buildSlo(), buildSlo()] }, '/spec/slos/1/name is a duplicate'],
  [{ slos: [buildSlo({ window: '15d' })] }, '/spec/slos/0/window must be at most 14 days'],
  [{ slos: [buildSlo({ window: '59m' })] }, '/spec/slos/0/window must be at least 1h'],
  [
    { slos: [buildSlo({ zones: ['gone'] })] },
    '/spec/slos/0/zones/0 is not a zone of the Product: choose from shop-rc, shop-prod',
  ],
  [{ slos: [buildSlo({ zones: ['shop-rc', 'shop-rc'] })] }, '/spec/slos/0/zones/1 is a duplicate'],
  [{ slos: [buildSlo({ indicator: {} })] }, '/spec/slos/0/indicator must have either availability or latency'],
  [
    { slos: [buildSlo({ indicator: { ...buildSlo().indicator, ...buildLatencySlo().indicator } })] },
    '/spec/slos/0/indicator must have either',
  ],
  [
    { slos: [buildSlo({ indicator: { availability: { metric: 'm', errors: '}', filter: 'a="b"' } } })] },
    '/spec/slos/0/indicator/availability/errors cannot be parsed',
  ],
  [
    { slos: [buildSlo({ indicator: { availability: { metric: 'm', filter: 'a' } } })] },
    '/spec/slos/0/indicator/availability/filter cannot be parsed',
  ],
  [
    { slos: [buildSlo({ indicator: { latency: { histogram: 'h', threshold: '1', filter: 'le="1"' } } })] },
    '/spec/slos/0/indicator/latency/filter must not match the label "le"',
  ],
  [{ delivery: { ...delivery, releaseZones: ['gone'] } }, '/spec/delivery/releaseZones/0 is not a zone'],
  [{ statusPage: { public: true, zones: ['shop-rc', 'gone'] } }, '/spec/statusPage/zones/1 is not a zone'],
])('rejects %o', (spec, violation) => {
  const found = listPointers({ delivery, ...spec });
  expect(found).toHaveLength(1);
  expect(found[0]).toContain(violation);
});
