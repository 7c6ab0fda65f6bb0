import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { isDeepStrictEqual } from 'node:util';
import { parse } from 'yaml';
import { zoneClaim } from '../../src/rules/catalog/claims.ts';
import { type ZoneSpec, ProductKind } from '../../src/rules/catalog/kinds.ts';
import { ConfigMapKind } from '../../src/rules/core-kinds.ts';
import { ApplicationKind } from '../../src/rules/environments/delivery-kinds.ts';
import { type ZoneValues, zoneSettings, zoneValuesPath } from '../../src/rules/environments/zone-values.ts';
import { ReleaseKind } from '../../src/rules/releases/kinds.ts';
import { zoneIsSettled } from '../../src/rules/releases/release-status.ts';
import type { Store } from '../../src/store/store.ts';
import { arrive, keepEnvironmentId } from '../../workflows/environments/messages.ts';
import { defaultTaskQueue } from '../../workflows/task-queues.ts';
import { type StartedApi } from '../support/start-api.ts';
import { type Asked, endsOf } from './some-order.ts';

const namespace = 'org-acme';
const versions = [1, 2, 3, 4];
const nameOf = (version: number): string => `v0.${version}.0`;
const digestOf = (version: number): string => `sha256:${createHash('sha256').update(`${version}`).digest('hex')}`;

export type RacedWorld = {
  api: StartedApi;
  store: Store;
  client: Client;
  /** A file of the gitops repo at a commit or a branch. */
  readGitops: (path: string, ref: string) => Promise<string | undefined>;
};

/** The same numbers for the same seed. */
export function drawing(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

/** One zone of a Product of its own, and all that is asked of it at once. */
export class RacedZone {
  readonly name: string;
  readonly product: string;
  readonly asked: Asked[] = [];
  readonly log: string[] = [];
  #world: RacedWorld;

  constructor(world: RacedWorld, index: number) {
    this.#world = world;
    this.product = `p${index}`;
    this.name = `p${index}-rc`;
  }

  async create(): Promise<void> {
    const { store } = this.#world;
    const zones: ZoneSpec[] = [{ name: this.name, arrival: 'automatic', replicas: 0 }];
    await store.create(ProductKind, {
      metadata: { namespace, name: this.product },
      spec: { repos: [], delivery: { zones } },
    });
    await store.create(ConfigMapKind, {
      metadata: { namespace: 'service-system', name: zoneClaim(this.name) },
      data: { org: 'acme', product: this.product, at: new Date().toISOString() },
    });
    for (const version of versions) {
      const name = this.#release(version);
      const commit = version.toString().repeat(40);
      await store.create(ReleaseKind, {
        metadata: { namespace, name },
        spec: { product: this.product, repo: 'acme/hello', commit, version: nameOf(version), startedBy: 'ada' },
      });
      await store.updateStatus(ReleaseKind, { namespace, name }, () => ({
        phase: 'Promoting' as const,
        digest: digestOf(version),
        zones: [],
      }));
    }
  }

  /** Draws 4 to 8 requests and sends them at moments of their own; answers when each was answered. */
  async race(draw: (below: number) => number): Promise<void> {
    const requests = [async () => await this.#arrive(1 + draw(2))];
    const count = 3 + draw(5);
    const removes = draw(3) === 0;
    while (requests.length <= count) requests.push(this.#draw(draw));
    const sent = requests.map(async (request, index) => {
      await sleep(index === 0 ? 0 : draw(3_000));
      await request();
    });
    if (removes) sent.push(this.#goes(draw(3_000), draw(3) > 0));
    await Promise.all(sent);
  }

  /** What does not fit together, or cannot be explained; nothing once all is well. */
  async fault(): Promise<string | undefined> {
    try {
      await this.#check();
      return undefined;
    } catch (error) {
      return `${this.name}: ${(error as Error).message}\n${this.log.join('\n')}`;
    }
  }

  /** What its keeper is waiting for, to tell what goes slowly from what hangs. */
  async pending(): Promise<string> {
    const zone = { org: 'acme', product: this.product, zone: this.name };
    const described = await this.#world.client.workflow.getHandle(keepEnvironmentId(zone)).describe();
    return (described.raw.pendingActivities ?? [])
      .map(
        ({ activityType, attempt, state, lastFailure, currentRetryInterval }) =>
          `${activityType?.name} ${state}, try ${attempt}, ${String(currentRetryInterval?.seconds ?? 0)} s apart: ${lastFailure?.message ?? ''}`,
      )
      .join('\n');
  }

  #release = (version: number): string => `${this.product}-${nameOf(version)}`;

  #draw(draw: (below: number) => number): () => Promise<void> {
    const version = 1 + draw(versions.length);
    const despiteFreeze = draw(2) === 0;
    const cpu = `${100 + draw(900)}m`;
    const kinds = [
      async () => await this.#arrive(version),
      async () => await this.#arrive(version),
      async () => await this.#ask('promote', version, { release: this.#release(version), despiteFreeze }),
      async () => await this.#ask('promote', version, { release: this.#release(version), despiteFreeze }),
      async () => await this.#ask('freeze', 0, { reason: 'Raced.' }),
      async () => await this.#ask('unfreeze', 0),
      async () => await this.#ask('unfreeze', 0),
      async () => await this.#set({ cpu, volumes: [{ name: 'data', size: '1Gi', path: `/data/${cpu}` }] }),
      async () => await this.#set({ access: 'none', memory: '256Mi' }),
    ];
    return kinds[draw(kinds.length)] ?? (async () => {});
  }

  async #note(what: Asked['what'], version: number, send: () => Promise<{ outcome: Asked['outcome']; said: string }>) {
    const from = performance.now();
    const { outcome, said } = await send();
    const to = performance.now();
    this.asked.push({ what, version, from, to: outcome === 'unknown' ? Infinity : to, outcome });
    this.log.push(`${Math.round(from)}–${Math.round(to)} ${what} ${version || ''} ${said}`);
    return outcome;
  }

  async #arrive(version: number): Promise<void> {
    const zone = { org: 'acme', product: this.product, zone: this.name };
    const arrival = {
      release: this.#release(version),
      version: nameOf(version),
      commit: version.toString().repeat(40),
      digest: digestOf(version),
      tell: 'promote-release/nobody',
    };
    await this.#note('arrive', version, async () => {
      await this.#world.client.workflow.signalWithStart('keepEnvironment', {
        taskQueue: defaultTaskQueue,
        workflowId: keepEnvironmentId(zone),
        args: [zone],
        signal: arrive,
        signalArgs: [arrival],
      });
      return { outcome: 'done', said: 'signalled' };
    });
  }

  #at = (tail = ''): string => `/v1/orgs/acme/products/${this.product}/zones${tail}`;

  async #send(path: string, init: { method: string; body?: unknown }) {
    const response = await this.#world.api.request(path, init);
    const text = await response.text();
    const outcome = response.ok ? 'done' : response.status >= 500 ? 'unknown' : 'refused';
    return { outcome, said: `${response.status} ${response.ok ? '' : text.slice(0, 200)}` } as const;
  }

  async #ask(what: 'promote' | 'freeze' | 'unfreeze', version: number, body?: unknown): Promise<void> {
    await this.#note(
      what,
      version,
      async () => await this.#send(this.#at(`/${this.name}/${what}`), { method: 'POST', ...(body ? { body } : {}) }),
    );
  }

  async #goes(afterMs: number, comesBack: boolean): Promise<void> {
    await sleep(afterMs);
    const path = this.#at(`/${this.name}?confirm=${this.name}`);
    for (;;)
      if ((await this.#note('remove', 0, async () => await this.#send(path, { method: 'DELETE' }))) === 'done') break;
    if (!comesBack) return;
    const body = { name: this.name, arrival: 'automatic', replicas: 0 };
    for (;;) {
      if ((await this.#note('add', 0, async () => await this.#send(this.#at(), { method: 'POST', body }))) === 'done')
        return;
      await sleep(200);
    }
  }

  async #set(settings: Partial<ZoneSpec>): Promise<void> {
    for (;;) {
      const { spec, metadata } = await this.#product();
      const zones = spec.delivery.zones.map((zone) => ({ ...zone, ...settings }));
      if (zones.length === 0) return;
      const body = { spec: { ...spec, delivery: { zones } }, generation: metadata.generation };
      const { outcome, said } = await this.#send(`/v1/orgs/acme/products/${this.product}`, { method: 'PUT', body });
      this.log.push(`${Math.round(performance.now())} settings ${JSON.stringify(settings)} ${said}`);
      if (outcome !== 'refused' || !said.startsWith('409')) return;
    }
  }

  #product = async () => await this.#world.store.get(ProductKind, { namespace, name: this.product });

  async #check(): Promise<void> {
    const { spec, status } = await this.#product();
    const zone = spec.delivery.zones.find(({ name }) => name === this.name);
    const entry = status?.zones?.find(({ name }) => name === this.name);
    const application = await this.#world.store.find(ApplicationKind, { namespace, name: this.name });
    const path = zoneValuesPath(this.product, this.name);
    const releases = await this.#releases();
    const numberOf = (version?: string): number => Number(version?.split('.')[1] ?? 0);
    const seen = {
      listed: zone !== undefined,
      running: numberOf(entry?.version),
      waits: numberOf(entry?.arriving?.version),
      hold: numberOf(entry?.hold?.version),
      frozen: entry?.freeze !== undefined,
    };
    // One that came to the zone while it went was turned away; when it came, only the zone's keeper knows.
    const asked = this.asked.map((one) =>
      one.what === 'arrive' && ['Cancelled', 'Failed'].includes(releases.get(one.version)?.phase ?? '')
        ? { ...one, outcome: 'unknown' as const }
        : one,
    );
    const ends = endsOf(asked);
    assert(
      ends.some((end) => isDeepStrictEqual(end, seen)),
      `no order explains ${JSON.stringify(seen)}, only ${JSON.stringify(ends)}; ${JSON.stringify([...releases])}`,
    );
    for (const [version, { phase }] of releases)
      assert(zoneIsSettled(phase) || version === seen.waits, `v${version} is left ${phase}`);
    const text = await this.#world.readGitops(path, 'main');
    if (!zone || seen.running === 0) {
      assert.equal(text, undefined, 'there is a values file');
      assert.equal(application, undefined, 'there is an Application');
      if (zone) return;
      assert.equal(entry, undefined, 'there is an entry');
      const claim = { namespace: 'service-system', name: zoneClaim(this.name) };
      assert.equal(await this.#world.store.find(ConfigMapKind, claim), undefined, 'there is a claim');
      return;
    }
    const { image, release, ...settings } = parse(text ?? '') as ZoneValues;
    const wanted = zoneSettings(zone, `http://${this.name}.localhost:8081`);
    assert.deepEqual({ settings, applied: entry?.applied }, { settings: wanted, applied: wanted });
    assert.notEqual(entry?.settings?.phase, 'Applying');
    assert.equal(release.name, entry?.release);
    assert.equal(image.digest, entry?.digest);
    assert.equal(releases.get(seen.running)?.phase, 'Verified');
    assert.equal(entry?.verifiedAt, releases.get(seen.running)?.verifiedAt);
    const { sync, health, summary } = application?.status ?? {};
    assert.equal(await this.#world.readGitops(path, sync?.revision ?? ''), text, 'the Application is behind');
    assert.deepEqual(
      [sync?.status, health?.status, summary?.images],
      ['Synced', 'Healthy', [`${image.repository}@${image.digest}`]],
    );
  }

  async #releases() {
    const found = await Promise.all(
      versions.map(async (version) => {
        const { status } = await this.#world.store.get(ReleaseKind, { namespace, name: this.#release(version) });
        return [version, status?.zones.find(({ name }) => name === this.name)] as const;
      }),
    );
    return new Map(found.flatMap(([version, zone]) => (zone ? [[version, zone] as const] : [])));
  }
}
