import { QueryClient } from '@tanstack/react-query';
import { expect, it } from 'vitest';
import { applyView } from '../../../../src/clients/ui/live/apply-view.ts';

const topic = { kind: 'changes', org: 'acme', name: 'run-1' } as const;
const key = ['change', 'acme', 'run-1'];
const view = (resourceVersion: string) => ({ name: 'run-1', resourceVersion });

it.each([
  ['9', '10', '10'],
  ['10', '9', '10'],
  ['10', '10', '10'],
])('keeps the newer of the versions %s and %s', (cached, received, kept) => {
  const queryClient = new QueryClient();
  queryClient.setQueryData(key, view(cached));
  applyView(queryClient, topic, view(received));
  expect(queryClient.getQueryData(key)).toEqual(view(kept));
});

it('has the lists of an org read again, and what waits, but nothing of other orgs', () => {
  const queryClient = new QueryClient();
  const keys = [['changes', 'acme', {}], ['waiting'], ['changes', 'other', {}], ['releases', 'acme', {}]];
  for (const each of keys) queryClient.setQueryData(each, { items: [] });
  applyView(queryClient, { kind: 'changes', org: 'acme' }, view('2'));
  expect(keys.map((each) => queryClient.getQueryState(each)?.isInvalidated)).toEqual([true, true, false, false]);
});
