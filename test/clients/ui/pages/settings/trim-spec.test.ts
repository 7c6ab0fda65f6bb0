import { expect, it } from 'vitest';
import { trimSpec } from '../../../../../src/clients/ui/pages/settings/trim-spec.ts';

it('leaves out empty lines, and the lists that have nothing else', () => {
  const spec = { enabled: false, labels: ['service', '', ' '], criteria: [''], steps: [{ name: 'merge', when: [''] }] };
  expect(trimSpec(spec)).toEqual({ enabled: false, labels: ['service'], steps: [{ name: 'merge' }] });
});

it('keeps a list that is empty on purpose', () => {
  expect(trimSpec({ tools: [], triggers: [] })).toEqual({ tools: [], triggers: [] });
});
