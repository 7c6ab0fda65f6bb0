import { expect, it } from 'vitest';
import { previewAlertRules } from '../../../api/slos/preview-alert-rules.ts';
import { defaultRetentionMs } from '../../../src/rules/slos/slo-window.ts';
import { buildSlo } from '../../rules/slos/build-slo.ts';
import { buildSloProduct } from '../../rules/slos/build-slo-product.ts';

const without = buildSloProduct([]);
const withSlo = buildSloProduct([buildSlo()]);

it('shows what a new spec adds to the rules and removes from them, each rule in full', () => {
  const added = previewAlertRules(without, withSlo.spec, defaultRetentionMs);
  expect(added?.name).toBe('service-slo-shop');
  const lines = added?.patch.split('\n').slice(4) ?? [];
  expect(lines.filter((line) => line.startsWith('+'))).toContain('+kind: PrometheusRule');
  expect(lines.filter((line) => line.startsWith('-'))).toEqual([]);
  // Neither an anchor nor a folded text is what a person would compare.
  expect(added?.patch).not.toMatch(/: [&*]a\d|: >-?$/m);
  const removed = previewAlertRules(withSlo, without.spec, defaultRetentionMs);
  expect(removed?.patch).toContain('-kind: PrometheusRule');
});

it('shows nothing when the rules stay the same', () => {
  expect(previewAlertRules(withSlo, structuredClone(withSlo.spec), defaultRetentionMs)).toBeUndefined();
  expect(previewAlertRules(without, without.spec, defaultRetentionMs)).toBeUndefined();
});
