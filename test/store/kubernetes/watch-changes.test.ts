import { expect, it, onTestFinished } from 'vitest';
import { ConfigMapKind } from '../../../src/kinds/kubernetes.ts';
import { connectApiServer } from '../../../src/store/kubernetes/api-server.ts';
import { watchChanges } from '../../../src/store/kubernetes/watch-changes.ts';
import { WatchExpiredError } from '../../../src/store/store.ts';
import { connectTestApiServer, startTestApiServer } from '../../support/servers/test-api-server.ts';

const change = (name: string, resourceVersion: string) => ({
  type: 'ADDED',
  object: { metadata: { namespace: 'org-acme', name, resourceVersion } },
});
const error = (code: number) => ({ type: 'ERROR', object: { code, message: 'The watch failed.' } });

/** Watches on a server that sends each of the streams to one connection, and ends it. */
async function startWatch(...streams: object[][]) {
  const versions: (string | null)[] = [];
  const server = await connectTestApiServer((request, response) => {
    versions.push(new URL(request.url ?? '', 'http://api.test').searchParams.get('resourceVersion'));
    const lines = streams.shift() ?? [];
    response.end(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  });
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const changes = watchChanges(server, ConfigMapKind, { resourceVersion: '5', signal: stop.signal });
  const next = async (): Promise<string | undefined> => (await changes.next()).value?.object.metadata.name;
  return { next, versions };
}

it('resumes at the last version after the server reports an error', async () => {
  const { next, versions } = await startWatch([change('one', '6'), error(500)], [change('two', '7')]);
  expect([await next(), await next()]).toEqual(['one', 'two']);
  expect(versions).toEqual(['5', '6']);
});

it('ends when the server no longer keeps the version', async () => {
  const { next } = await startWatch([change('one', '6'), error(410)]);
  expect(await next()).toBe('one');
  await expect(next()).rejects.toThrow(WatchExpiredError);
});

it('resumes on a new connection when the server falls silent without ending the watch', async () => {
  const versions: (string | null)[] = [];
  const kubeConfig = await startTestApiServer((request, response) => {
    versions.push(new URL(request.url ?? '', 'http://api.test').searchParams.get('resourceVersion'));
    response.write(`${JSON.stringify(change(`change-${versions.length}`, String(5 + versions.length)))}\n`);
  });
  const server = connectApiServer(kubeConfig, { watchIdleTimeoutMs: 500 });
  const stop = new AbortController();
  onTestFinished(async () => {
    stop.abort();
    await server.close();
  });
  const changes = watchChanges(server, ConfigMapKind, { resourceVersion: '5', signal: stop.signal });
  const next = async (): Promise<string | undefined> => (await changes.next()).value?.object.metadata.name;
  expect([await next(), await next()]).toEqual(['change-1', 'change-2']);
  expect(versions).toEqual(['5', '6']);
});

it('watches the objects with a name and with labels only', async () => {
  const queries: URLSearchParams[] = [];
  const server = await connectTestApiServer((request, response) => {
    queries.push(new URL(request.url ?? '', 'http://api.test').searchParams);
    response.end(`${JSON.stringify(change('one', '6'))}\n`);
  });
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const selection = { name: 'one', labels: { part: 'shop' } };
  const changes = watchChanges(server, ConfigMapKind, { ...selection, resourceVersion: '5', signal: stop.signal });
  expect((await changes.next()).value?.object.metadata.name).toBe('one');
  expect(queries.map((query) => [query.get('fieldSelector'), query.get('labelSelector')])).toEqual([
    ['metadata.name=one', 'part=shop'],
  ]);
});
