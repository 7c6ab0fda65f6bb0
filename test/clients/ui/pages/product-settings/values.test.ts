import { expect, it } from 'vitest';
import { mergeValues, toSpec, toValues } from '../../../../../src/clients/ui/pages/product-settings/values.ts';

const spec = {
  displayName: 'Shop',
  repos: ['acme/shop'],
  delivery: {
    zones: [
      { name: 'shop-rc', replicas: 2 },
      { name: 'shop-prod', access: 'public' as const },
    ],
  },
};

it('writes only what has changed, and leaves what has no field', () => {
  expect(toSpec(spec, toValues(spec))).toEqual(spec);
  const values = { ...toValues(spec), displayName: '', repos: 'acme/shop\nacme/docs', 'access shop-rc': 'none' };
  expect(toSpec(spec, values)).toEqual({
    repos: ['acme/shop', 'acme/docs'],
    delivery: { zones: [{ name: 'shop-rc', replicas: 2, access: 'none' }, spec.delivery.zones[1]] },
  });
});

it('keeps what one person changed, and takes the rest as another saved it', () => {
  const base = toValues(spec);
  const theirs = { ...base, displayName: 'Their shop', description: 'Theirs' };
  const mine = { ...base, displayName: 'My shop' };
  expect(mergeValues(base, theirs, mine)).toEqual({ ...theirs, displayName: 'My shop' });
});

it('writes the status page only when it differs from what holds without it', () => {
  const values = toValues(spec);
  expect(values).toMatchObject({ statusReaders: 'signed-in', statusZones: '' });
  expect(toSpec(spec, values)).not.toHaveProperty('statusPage');
  const published = toSpec(spec, { ...values, statusReaders: 'public', statusZones: 'shop-rc\nshop-prod' });
  expect(published.statusPage).toEqual({ public: true, zones: ['shop-rc', 'shop-prod'] });
  const hidden = { ...toValues(published), statusReaders: 'signed-in', statusZones: '' };
  expect(toSpec(published, hidden).statusPage).toEqual({ public: false });
});

it('writes the SLOs and the release zones, and leaves them out when there are none', () => {
  const values = toValues(spec);
  const slo = { name: 'answered', objective: '99.9', indicator: { availability: { metric: 'http_requests_total' } } };
  const edited = toSpec(spec, { ...values, slos: JSON.stringify([slo]), releaseZones: 'shop-rc\nshop-prod' });
  expect(edited).toEqual({
    ...spec,
    slos: [slo],
    delivery: { ...spec.delivery, releaseZones: ['shop-rc', 'shop-prod'] },
  });
  expect(toSpec(edited, { ...toValues(edited), slos: '[]', releaseZones: '' })).toEqual({ ...spec, slos: [] });
});

it('writes the registry, and leaves it out when it is empty', () => {
  const edited = toSpec(spec, { ...toValues(spec), registry: ' images ' });
  expect(edited).toEqual({ ...spec, delivery: { ...spec.delivery, registry: 'images' } });
  expect(toSpec(edited, toValues(edited))).toEqual(edited);
  expect(toSpec(edited, { ...toValues(edited), registry: '' })).toEqual(spec);
});
