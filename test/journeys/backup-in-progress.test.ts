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

  it('is restored as it was, and ends every Change without doubling anything', { timeout: 2 * timeoutMs }, async () => {
    const lost = [await first.startApi(), await first.startWorker()];
    const api = await first.signInAsRoot();
    await startChanges(api, model);
    const browser = createApiClient(`${first.environment['PUBLIC_URL']}/api`, () => undefined);
    const archive = await backUp(api, browser, await first.openRootSession());
    for (const process of lost) await process.kill();
    const before = await readObjects(first.folder);

    second = await first.startEmpty(executable ?? '');
    const replicas = [await second.startApi(), await second.startWorker()];
    const restored = await second.signInAsRoot();
    await restore(restored, browser, { session: await second.openRootSession(), archive });
    const after = await readObjects(second.folder, withoutNewRounds);
    const names = new Set([...before.keys(), ...after.keys()]);
    const differences = [...names].filter((name) => before.get(name) !== after.get(name));
    expect(differences.map((name) => [before.get(name), after.get(name)])).toEqual([]);

    model.release();
    await approveAll(restored);
    await expectNothingDoubled(restored, new CodehostReader(second));
    for (const replica of replicas) expect(replica.loggedErrors()).toEqual([]);
  });
});

/** Starts all Changes, merges the first ones, and holds back the model for the last ones. */
async function startChanges(api: ApiClient, model: HeldModel): Promise<void> {
  await createAcmeOrg(api);
  const spec = { repos: ['acme/hello'], delivery: { zones: [] } };
  await api.post('/v1/orgs/acme/products', { name: 'hello', spec });
  const start = async (from: number, to: number): Promise<string[]> => {
    const runs: string[] = [];
    for (const title of titles.slice(from, to)) runs.push(await startChange(api, 'hello', title, 'quick-change'));
    return runs;
  };
  const waitFor = async (phase: string, expected: number) =>
    await waitUntil(
      async () => await listRuns(api),
      (runs) => count(runs, phase) === expected,
      timeoutMs,
    );
  const early = await start(0, merged + waiting);
  await waitFor('WaitingForPerson', merged + waiting);
  for (const run of early.slice(0, merged)) await approveRunStep(api, run);
  await waitFor('Succeeded', merged);
  await waitForReleases(api, merged);
  model.hold();
  await start(merged + waiting, total);
  await waitUntil(
    async () => model.waiting(),
    (requests) => requests > 0,
    timeoutMs,
  );
  await waitFor('Running', running);
}

type Archive = { backup: string; recoveryKey: string };
type Session = Awaited<ReturnType<Installation['openRootSession']>>;
type Progress = { status: { phase: string; plan?: { digest: string } } };

async function backUp(api: ApiClient, browser: ApiClient, session: Session): Promise<Archive> {
  const { recoveryKey } = await browser.put<{ recoveryKey: string }>('/v1/backup/key', undefined, session);
  const { name: backup } = await browser.post<{ name: string }>('/v1/backup/backups', undefined, session);
  const { status } = await waitUntil(
    async () => await api.get<Progress>(`/v1/backup/backups/${backup}`),
    (made) => made.status.phase !== 'Running',
    timeoutMs,
  );
  expect(status).toMatchObject({ phase: 'Succeeded' });
  return { backup, recoveryKey };
}

type Restore = { session: Session; archive: Archive };

async function restore(api: ApiClient, browser: ApiClient, { session, archive }: Restore): Promise<void> {
  const { name } = await browser.post<{ name: string }>('/v1/backup/restores', archive, session);
  const path = `/v1/backup/restores/${name}`;
  const waitForPhase = async (phase: string): Promise<Progress> => {
    const found = await waitUntil(
      async () => await api.get<Progress>(path),
      ({ status }) => status.phase === phase || status.phase === 'Failed',
      timeoutMs,
    );
    expect(found).toMatchObject({ status: { phase } });
    return found;
  };
  const { status } = await waitForPhase('Ready');
  await browser.post(`${path}/start`, { digest: status.plan?.digest }, session);
  await waitForPhase('Succeeded');
}

async function approveAll(api: ApiClient): Promise<void> {
  await waitUntil(
    async () => {
      const runs = await listRuns(api);
      const waitingRuns = runs.filter(({ status }) => status.phase === 'WaitingForPerson');
      // A run that was approved a moment ago may still be shown as waiting.
      await Promise.allSettled(waitingRuns.map(async ({ name }) => await approveRunStep(api, name)));
      return runs;
    },
    (runs) => count(runs, 'Succeeded') === total,
    timeoutMs,
  );
}

async function expectNothingDoubled(api: ApiClient, codehost: CodehostReader): Promise<void> {
  const pulls = await codehost.pulls('acme/hello');
  expect(pulls.filter(({ merged_at: at }) => at !== null)).toHaveLength(total);
  expect(new Set(pulls.map(({ head }) => head.ref)).size).toBe(total);
  const subjects = (await codehost.commits('acme/hello')).map(({ commit }) => commit.message.split('\n')[0]);
  const notes = subjects.filter((subject) => subject?.includes('rite note'));
  expect(notes).toHaveLength(total);
  expect(new Set(notes).size).toBe(total);
  await waitForReleases(api, total);
  const tags = await codehost.get<{ name: string }[]>('/repos/acme/hello/tags?per_page=100');
  expect(new Set(tags.map(({ name }) => name)).size).toBe(total);
}

const waitForReleases = async (api: ApiClient, expected: number) =>
  await waitUntil(
    async () => (await api.get<Runs>('/v1/orgs/acme/releases?limit=200')).items,
    (releases) => releases.length === expected && releases.every(({ status }) => isEnded(status.phase)),
    timeoutMs,
  );

const isEnded = (phase: string): boolean => !['Building', 'Tagging', 'Promoting'].includes(phase);
