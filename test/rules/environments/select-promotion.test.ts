import { expect, it } from 'vitest';
import { selectPromotion } from '../../../src/rules/environments/select-promotion.ts';

const release = (version: string) => ({ release: `hello-${version}`, version });

it('selects the newest version and supersedes the others', () => {
  const [old, newest] = [release('v0.9.0'), release('v0.10.0')];
  expect(selectPromotion([old, newest], release('v0.8.0'))).toEqual({ selected: newest, superseded: [old] });
});

it('does not select a version older than the running one', () => {
  expect(selectPromotion([release('v0.1.0')], release('v0.2.0'))).toEqual({
    selected: undefined,
    superseded: [release('v0.1.0')],
  });
});

it('selects the running version again', () => {
  expect(selectPromotion([release('v0.2.0')], release('v0.2.0')).selected).toEqual(release('v0.2.0'));
});
