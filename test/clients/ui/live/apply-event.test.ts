import { QueryClient } from '@tanstack/react-query';
import { expect, it } from 'vitest';
import { applyEvent } from '../../../../src/clients/ui/live/apply-event.ts';

const key = ['change', 'acme', 'run-1'];
const view = (resourceVersion: string, name = 'run-1') => ({ name, resourceVersion });
const changed = (topic: string, item = view('2')) => ({
  event: 'changed' as const,
  topic,
  name: item.name,
  data: JSON.stringify({ view: item }),
});

function createCache(entries: [key: readonly unknown[], data: unknown][]) {
  const queryClient = new QueryClient();
  for (const [each, data] of entries) queryClient.setQueryData(each, data);
  const listInvalid = (): unknown[] =>
    entries.map(([each]) => each).filter((each) => queryClient.getQueryState(each)?.isInvalidated);
  return { queryClient, listInvalid };
}

it.each([
  ['9', '10', '10'],
  ['10', '9', '10'],
  ['10', '10', '10'],
])('keeps the newer of the versions %s and %s', (cached, received, kept) => {
  const { queryClient } = createCache([[key, view(cached)]]);
  applyEvent(queryClient, changed('agentworkflowruns:acme/run-1', view(received)));
  expect(queryClient.getQueryData(key)).toEqual(view(kept));
});

it('has the rest of what is read by the name of an item read again', () => {
  const evidence = ['evidence', 'acme', 'run-1'];
  const { queryClient, listInvalid } = createCache([
    [key, view('1')],
    [evidence, []],
    [['evidence', 'acme', 'run-2'], []],
    [['evidence', 'other', 'run-1'], []],
  ]);
  applyEvent(queryClient, changed('agentworkflowruns:acme/run-1'));
  expect(listInvalid()).toEqual([evidence]);
});

it('replaces an item in its lists, and has lists read again that it may enter or leave', () => {
  const known = ['changes', 'acme', { product: 'shop', phase: undefined }];
  const filtered = ['changes', 'acme', { product: undefined, phase: 'Failed' }];
  const unknown = ['changes', 'acme', {}];
  const { queryClient, listInvalid } = createCache([
    [known, { items: [view('1'), view('1', 'run-2')] }],
    [filtered, { items: [view('1')] }],
    [unknown, { items: [] }],
    [['changes', 'other', {}], { items: [] }],
    [['products', 'acme'], { items: [] }],
  ]);
  applyEvent(queryClient, changed('agentworkflowruns:acme'));
  expect(queryClient.getQueryData(known)).toEqual({ items: [view('2'), view('1', 'run-2')] });
  expect(listInvalid()).toEqual([filtered, unknown]);
});

it('leaves the list of another Product alone', () => {
  const { queryClient, listInvalid } = createCache([[['releases', 'acme', { product: 'till' }], { items: [] }]]);
  applyEvent(queryClient, changed('releases:acme', { ...view('1'), spec: { product: 'shop' } } as never));
  expect(listInvalid()).toEqual([]);
});

it('reads the topics of a relist again, and whatever is computed from them', () => {
  const { queryClient, listInvalid } = createCache([
    [['waiting'], {}],
    [['releases', 'acme', {}], {}],
    [['zones', 'acme', 'shop'], {}],
    [['releases', 'other', {}], {}],
    [['settings', 'acme'], {}],
  ]);
  applyEvent(queryClient, { event: 'relist', topics: ['waiting', 'releases:acme', 'unknown:acme'] });
  expect(listInvalid()).toEqual([['waiting'], ['releases', 'acme', {}], ['zones', 'acme', 'shop']]);
});

it('reads again after a response that was on its way when the event arrived', async () => {
  const { queryClient } = createCache([]);
  const first = Promise.withResolvers<object>();
  let version = '1';
  const observed = queryClient.fetchQuery({ queryKey: key, queryFn: async () => await first.promise });
  applyEvent(queryClient, changed('agentworkflowruns:acme/run-1'));
  first.resolve(view(version));
  await observed;
  version = '2';
  await expect.poll(() => queryClient.getQueryState(key)?.isInvalidated).toBe(true);
});
