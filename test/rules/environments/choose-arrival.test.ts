import { expect, it } from 'vitest';
import { chooseArrival } from '../../../src/rules/environments/choose-arrival.ts';

const release = (version: string) => ({ release: `hello-${version}`, version });

it('the newest goes in and supersedes the others', () => {
  const [old, newest] = [release('v0.9.0'), release('v0.10.0')];
  expect(chooseArrival([old, newest], release('v0.8.0'))).toEqual({ take: newest, superseded: [old] });
});

it('never goes backwards by itself', () => {
  expect(chooseArrival([release('v0.1.0')], release('v0.2.0'))).toEqual({
    take: undefined,
    superseded: [release('v0.1.0')],
  });
});

it('brings in again what runs there', () => {
  expect(chooseArrival([release('v0.2.0')], release('v0.2.0')).take).toEqual(release('v0.2.0'));
});
