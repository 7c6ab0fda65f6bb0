import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type ApiClient, createApiClient } from '../../src/clients/api-client.ts';
import { finish, titled, turn, write } from '../../src/emulators/model/scenario.ts';
import { archivedKinds } from '../../src/rules/backups/archived-objects.ts';
import { type AgentWorkflowRun, AgentWorkflowRunKind } from '../../src/rules/changes/kinds.ts';
import type { StoredObject } from '../../src/rules/resource.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { approveRunStep, createAcmeOrg, startChange } from '../support/platform/acme.ts';
import { CodehostReader } from '../support/platform/codehost-reader.ts';
import { Installation } from '../support/platform/installation.ts';
import { waitUntil } from '../support/platform/wait-until.ts';
import { isExhaustive } from '../support/sample.ts';
import { type HeldModel, startHeldModel } from '../support/servers/held-model.ts';

const executable = inject('temporalExecutable');
/** Changes by where the backup finds them: merged, waiting for a person, and in the middle of a turn. */
const [merged, waiting, running] = isExhaustive ? [5, 15, 30] : [1, 1, 2];
const total = merged + waiting + running;
const timeoutMs = 900_000;

const titles = Array.from({ length: total }, (_, index) => `Write note ${index + 1}.`);
const scenarios = titles.map((title, index) => ({
  ...titled(title),
  roles: {
    implementer: [
      turn('I write it.', write(`notes/${index + 1}.md`, 'A note.')),
      finish('done', 'The note is written.'),
    ],
  },
}));

type Runs = { items: { name: string; status: { phase: string } }[] };
const listRuns = async (api: ApiClient) => (await api.get<Runs>('/v1/orgs/acme/agentworkflowruns?limit=200')).items;
const count = (items: { status: { phase: string } }[], phase: string): number =>
  items.filter(({ status }) => status.phase === phase).length;

/** Reads all that a backup contains, without times, versions and the credentials that each installation has of its own. */
async function readObjects(
  folder: string,
  prepare: (object: StoredObject) => StoredObject = (object) => object,
): Promise<Map<string, string>> {
  const store = openSqliteStore({ file: join(folder, 'store.sqlite') });
  try {
    const lists = await Promise.all(archivedKinds.map(async ({ kind }) => (await store.list(kind)).items));
    const objects = lists.flat().filter(({ metadata }) => metadata.namespace.startsWith('org-'));
    return new Map(objects.map((object) => [toName(object), toText(prepare(object))]));
  } finally {
    await store.close();
  }
}
/** A step that was in progress begins another round when its run is continued; it has no decision and no result yet. */
function withoutNewRounds(object: StoredObject): StoredObject {
  if (object.kind !== AgentWorkflowRunKind.kind) return object;
  const { status } = object as AgentWorkflowRun;
  const steps = (status?.steps ?? []).map((step) => {
    const { rounds = [] } = step;
    const last = rounds.at(-1);
    const isNew = rounds.length > 1 && last !== undefined && Object.keys(last).length === 2;
    return isNew ? { ...step, rounds: rounds.slice(0, -1) } : step;
  });
  return { ...object, status: { ...status, steps } } as StoredObject;
}

const toName = ({ kind, metadata }: StoredObject): string => `${kind} ${metadata.namespace}/${metadata.name}`;
const toText = ({ metadata, ...object }: StoredObject): string => {
  const { resourceVersion: _, generation: __, creationTimestamp: ___, ...rest } = metadata;
  return JSON.stringify(sortKeys({ ...object, metadata: rest })).replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'a time');
};

const sortKeys = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([one], [other]) => one.localeCompare(other));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sortKeys(inner)]));
};

describe.skipIf(executable === undefined)('an installation that is lost in the middle of Changes', () => {
  let model: HeldModel;
  let first: Installation;
  let second: Installation | undefined;
  beforeAll(async () => {
    model = await startHeldModel(scenarios);
    first = await Installation.start(executable ?? '');
    first.environment['MODEL_BASE_URL'] = model.url;
    first.environment['BACKUPS_DIR'] = join(first.folder, 'backups');
  });
  afterAll(async () => {
    await second?.close();
    await first?.close();
    await model?.close();
  });

  it('ends every Change after its restore, and doubles nothing', async () => {
    const processes = [await first.startApi(), await first.startWorker()];
    const api = await first.signInAsRoot();
    const browser = createApiClient(`${first.environment['PUBLIC_URL']}/api`, () => undefined);
    await createAcmeOrg(api);
    await api.post('/v1/orgs/acme/products', {
      name: 'hello',
      spec: { repos: ['acme/hello'], delivery: { zones: [] } },
    });
    const start = async (from: number, to: number): Promise<string[]> => {
      const runs: string[] = [];
      for (const title of titles.slice(from, to)) runs.push(await startChange(api, 'hello', title, 'quick-change'));
      return runs;
    };
    const early = await start(0, merged + waiting);
    await waitUntil(
      async () => await listRuns(api),
      (runs) => count(runs, 'WaitingForPerson') === merged + waiting,
      timeoutMs,
    );
    for (const run of early.slice(0, merged)) await approveRunStep(api, run);
    await waitUntil(
      async () => await listRuns(api),
      (runs) => count(runs, 'Succeeded') === merged,
      timeoutMs,
    );
    const readReleases = async (from: ApiClient) => (await from.get<Runs>('/v1/orgs/acme/releases?limit=200')).items;
    await waitUntil(
      async () => await readReleases(api),
      (releases) => releases.length === merged && releases.every(({ status }) => isReleaseFinished(status.phase)),
      timeoutMs,
    );
    model.hold();
    await start(merged + waiting, total);
    await waitUntil(
      async () => model.waiting(),
      (requests) => requests > 0,
      timeoutMs,
    );
    await waitUntil(
      async () => await listRuns(api),
      (runs) => count(runs, 'Running') === running,
      timeoutMs,
    );

    const session = await first.openRootSession();
    const { recoveryKey } = await browser.put<{ recoveryKey: string }>('/v1/backup/key', undefined, session);
    const backupStart = Date.now();
    const { name: backup } = await browser.post<{ name: string }>('/v1/backup/backups', undefined, session);
    const made = await waitUntil(
      async () => (await api.get<{ status: Record<string, unknown> }>(`/v1/backup/backups/${backup}`)).status,
      ({ phase }) => phase !== 'Running',
      timeoutMs,
    );
    expect(made).toMatchObject({ phase: 'Succeeded' });
    console.log('backup', Date.now() - backupStart, 'ms', JSON.stringify(made));
    for (const process of processes) await process.kill();
    const before = await readObjects(first.folder);

    second = await first.startEmpty(executable ?? '');
    const replicas = [await second.startApi(), await second.startWorker()];
    const restored = await second.signInAsRoot();
    const newSession = await second.openRootSession();
    const restoreStart = Date.now();
    const body = { backup, recoveryKey };
    const { name } = await browser.post<{ name: string }>('/v1/backup/restores', body, newSession);
    const path = `/v1/backup/restores/${name}`;
    const read = async () => (await restored.get<{ status: Record<string, unknown> }>(path)).status;
    const { plan } = await waitUntil(read, ({ phase }) => phase === 'Ready' || phase === 'Failed', timeoutMs);
    await browser.post(`${path}/start`, { digest: (plan as { digest: string }).digest }, newSession);
    const done = await waitUntil(read, ({ phase }) => phase === 'Succeeded' || phase === 'Failed', timeoutMs);
    console.log('restore', Date.now() - restoreStart, 'ms', JSON.stringify(done));
    expect(done).toMatchObject({ phase: 'Succeeded' });
    const after = await readObjects(second.folder, withoutNewRounds);
    const differences = [...new Set([...before.keys(), ...after.keys()])].filter(
      (key) => before.get(key) !== after.get(key),
    );
    console.log('objects', before.size, 'differences', differences.length);
    for (const key of differences.slice(-3)) console.log(key, '\n-', before.get(key), '\n+', after.get(key));

    model.release();
    const approved = new Set<string>();
    await waitUntil(
      async () => {
        const runs = await listRuns(restored);
        for (const run of runs)
          if (run.status.phase === 'WaitingForPerson')
            await approveRunStep(restored, run.name).then(
              () => approved.add(run.name),
              () => undefined,
            );
        return runs;
      },
      (runs) => count(runs, 'Succeeded') === total,
      timeoutMs,
    );
    const codehost = new CodehostReader(second);
    const pulls = await codehost.pulls('acme/hello');
    expect(pulls.map(({ merged_at: at }) => at === null)).toEqual(Array.from({ length: total }, () => false));
    const issues = pulls.map(({ head }) => head.ref);
    expect(new Set(issues).size).toBe(total);
    const subjects = (await codehost.commits('acme/hello')).map(({ commit }) => commit.message.split('\n')[0]);
    const notes = subjects.filter((subject) => subject?.includes('rite note'));
    console.log('pulls', pulls.length, 'merge commits', notes.length, 'approved after', approved.size);
    expect(new Set(notes).size).toBe(total);
    expect(notes).toHaveLength(total);
    const releases = await waitUntil(
      async () => await readReleases(restored),
      (all) => all.length === total && all.every(({ status }) => isReleaseFinished(status.phase)),
      timeoutMs,
    );
    const tags = (await codehost.get<{ name: string }[]>('/repos/acme/hello/tags?per_page=100')).map(
      ({ name: tag }) => tag,
    );
    console.log('releases', releases.length, releases.map(({ status }) => status.phase).join(' '), 'tags', tags.length);
    expect(new Set(tags).size).toBe(tags.length);
    expect(differences).toEqual([]);
    for (const replica of replicas) expect(replica.loggedErrors()).toEqual([]);
  }, 3_000_000);
});

const isReleaseFinished = (phase: string): boolean => !['Building', 'Tagging', 'Promoting'].includes(phase);
