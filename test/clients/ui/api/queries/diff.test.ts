import { InfiniteQueryObserver, QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { diffQuery } from '../../../../../src/clients/ui/api/queries/diff.ts';
import { diffSizeQuery, fileDiffQuery } from '../../../../../src/clients/ui/api/queries/file-diff.ts';
import { applyEvent } from '../../../../../src/clients/ui/live/apply-event.ts';

const event = {
  event: 'changed' as const,
  topic: 'agentworkflowruns:acme/run-1',
  name: 'run-1',
  data: JSON.stringify({ view: { name: 'run-1', resourceVersion: '2' } }),
};
const path = '/api/v1/orgs/acme/agentworkflowruns/run-1/diff';
const list = `${path}?limit=300`;
const size = `${path}?limit=1`;
const file = `${path}?path=a.ts&limit=400`;

afterEach(() => void vi.unstubAllGlobals());

/** Opens a page with the diff at `head`, and returns what an event of the run has it read again. */
async function listReadAgain(diff: object, head: string | undefined): Promise<string[]> {
  const read: string[] = [];
  vi.stubGlobal('fetch', async (url: string) => {
    read.push(url);
    return Response.json({ items: [], ...diff });
  });
  const queryClient = new QueryClient();
  const shown = [
    new InfiniteQueryObserver(queryClient, diffQuery('acme', 'run-1')),
    new InfiniteQueryObserver(queryClient, fileDiffQuery('acme', 'run-1', head ?? '', 'a.ts')),
    new QueryObserver(queryClient, diffSizeQuery('acme', 'run-1', head)),
  ];
  for (const one of shown) onTestFinished(one.subscribe(() => {}));
  await expect.poll(() => queryClient.isFetching()).toBe(0);
  read.length = 0;
  applyEvent(queryClient, event);
  await expect.poll(() => queryClient.isFetching()).toBe(0);
  return read.toSorted();
}

it.each(['pull-request', 'merge-commit'])('leaves a diff of a %s as it is while the run goes on', async (source) => {
  expect(await listReadAgain({ source, head: 'a1' }, 'a1')).toEqual([]);
});

it('reads the files of a branch again, whose new commits no run names', async () => {
  expect(await listReadAgain({ source: 'branch', head: 'a1' }, 'a1')).toEqual([list]);
});

it('reads the diff of a run again that had no commit', async () => {
  expect(await listReadAgain({}, undefined)).toEqual([size, list, file].toSorted());
});

it('reads again what the code host returned of another commit', async () => {
  expect(await listReadAgain({ source: 'pull-request', head: 'b2' }, 'a1')).toEqual([size, file].toSorted());
});
