import { expect, it } from 'vitest';
import { PromotionKind } from '../../../src/rules/promotions/kinds.ts';
import { toSelectorQuery } from '../../../src/store/kubernetes/read.ts';

it('leaves to the API server only the fields that it can select by', () => {
  const fields = { 'metadata.name': 'a', 'spec.product': 'shop', 'spec.version': 'v1.0.0' };
  expect(toSelectorQuery(PromotionKind, { fields })).toEqual({
    labelSelector: undefined,
    fieldSelector: 'metadata.name=a,spec.product=shop',
  });
});

it('escapes the characters that separate fields', () => {
  expect(toSelectorQuery(PromotionKind, { labels: { a: '1', b: '2' }, fields: { 'spec.zone': 'x,y=z\\' } })).toEqual({
    labelSelector: 'a=1,b=2',
    fieldSelector: 'spec.zone=x\\,y\\=z\\\\',
  });
});
