import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { isDeepStrictEqual } from 'node:util';
import { parse } from 'yaml';
import { zoneReservationName } from '../../src/rules/products/reservations.ts';
import { type ZoneSpec, ProductKind } from '../../src/rules/products/kinds.ts';
import { ConfigMapKind } from '../../src/kinds/kubernetes.ts';
import { ApplicationKind } from '../../src/kinds/argo-cd.ts';
import { type ZoneValues, toZoneSettings, zoneValuesPath } from '../../src/rules/environments/zone-values.ts';
import { ReleaseKind } from '../../src/rules/releases/kinds.ts';
import { isTerminalZonePhase } from '../../src/rules/releases/release-status.ts';
import type { Store } from '../../src/store/store.ts';
import { enqueueSignal, manageZoneId, manageZoneStart } from '../../workflows/environments/messages.ts';
import { type ApiHarness } from '../support/start-api.ts';
import { type ZoneRequest, listPossibleOutcomes } from './possible-outcomes.ts';

const namespace = 'org-acme';
const versions = [1, 2, 3, 4];
const toVersionName = (version: number): string => `v0.${version}.0`;
const toDigest = (version: number): string => `sha256:${createHash('sha256').update(`${version}`).digest('hex')}`;

export type ZoneRaceDeps = {
  api: ApiHarness;
  store: Store;
  client: Client;
  /** Reads a file of the gitops repo at a commit or a branch. */
  readGitops: (path: string, ref: string) => Promise<string | undefined>;
};

/** A zone of its own Product that receives concurrent requests. */
export class ZoneRace {
  readonly name: string;
  readonly product: string;
  readonly requests: ZoneRequest[] = [];
  readonly log: string[] = [];
  #deps: ZoneRaceDeps;

  constructor(deps: ZoneRaceDeps, index: number) {
    this.#deps = deps;
    this.product = `p${index}`;
    this.name = `p${index}-rc`;
  }

  async create(): Promise<void> {
    const { store } = this.#deps;
    const zones: ZoneSpec[] = [{ name: this.name, promotionPolicy: 'automatic', replicas: 0 }];
    await store.create(ProductKind, {
      metadata: { namespace, name: this.product },
      spec: { repos: [], delivery: { zones } },
    });
    await store.create(ConfigMapKind, {
      metadata: { namespace: 'service-system', name: zoneReservationName(this.name) },
      data: { org: 'acme', product: this.product, reservedAt: new Date().toISOString() },
    });
    for (const version of versions) {
      const name = this.#releaseName(version);
      const commit = version.toString().repeat(40);
      await store.create(ReleaseKind, {
        metadata: { namespace, name },
        spec: { product: this.product, repo: 'acme/hello', commit, version: toVersionName(version), startedBy: 'ada' },
      });
      await store.updateStatus(ReleaseKind, { namespace, name }, () => ({
        phase: 'Promoting' as const,
        digest: toDigest(version),
        zones: [],
      }));
    }
  }

  /** Draws 4 to 8 requests, sends them at random times, and waits for their responses. */
  async run(draw: (below: number) => number): Promise<void> {
    const requests = [async () => await this.#requestPromotion(1 + draw(2))];
    const count = 3 + draw(5);
    const removes = draw(3) === 0;
    while (requests.length <= count) requests.push(this.#drawRequest(draw));
    const sent = requests.map(async (request, index) => {
      await sleep(index === 0 ? 0 : draw(3_000));
      await request();
    });
    if (removes) sent.push(this.#removeZone(draw(3_000), draw(3) > 0));
    await Promise.all(sent);
  }

  /** Returns undefined when an order of the requests explains the state of the zone, and all resources agree with it. */
  async findViolation(): Promise<string | undefined> {
    try {
      await this.#check();
      return undefined;
    } catch (error) {
      return `${this.name}: ${(error as Error).message}\n${this.log.join('\n')}`;
    }
  }

  /** Describes the pending activities of the zone workflow, which distinguish a slow zone from a stuck one. */
  async describePending(): Promise<string> {
    const zone = { org: 'acme', product: this.product, zone: this.name };
    const described = await this.#deps.client.workflow.getHandle(manageZoneId(zone)).describe();
    return (described.raw.pendingActivities ?? [])
      .map(
        ({ activityType, attempt, state, lastFailure, lastWorkerIdentity, currentRetryInterval }) =>
          `${activityType?.name} ${state}, attempt ${attempt} by ${lastWorkerIdentity}, retried after ${String(currentRetryInterval?.seconds ?? 0)} s: ${lastFailure?.message ?? ''}`,
      )
      .join('\n');
  }

  #releaseName = (version: number): string => `${this.product}-${toVersionName(version)}`;

  #drawRequest(draw: (below: number) => number): () => Promise<void> {
    const version = 1 + draw(versions.length);
    const overrideFreeze = draw(2) === 0;
    const cpu = `${100 + draw(900)}m`;
    const kinds = [
      async () => await this.#requestPromotion(version),
      async () => await this.#requestPromotion(version),
      async () => await this.#post('promote', version, { release: this.#releaseName(version), overrideFreeze }),
      async () => await this.#post('promote', version, { release: this.#releaseName(version), overrideFreeze }),
      async () => await this.#post('freeze', 0, { reason: 'Race test' }),
      async () => await this.#post('unfreeze', 0),
      async () => await this.#post('unfreeze', 0),
      async () => await this.#updateSettings({ cpu, volumes: [{ name: 'data', size: '1Gi', path: `/data/${cpu}` }] }),
      async () => await this.#updateSettings({ access: 'none', memory: '256Mi' }),
    ];
    return kinds[draw(kinds.length)] ?? (async () => {});
  }

  async #record(
    operation: ZoneRequest['operation'],
    version: number,
    send: () => Promise<{ outcome: ZoneRequest['outcome']; message: string }>,
  ) {
    const from = performance.now();
    const { outcome, message } = await send();
    const to = performance.now();
    this.requests.push({ operation, version, from, to: outcome === 'unknown' ? Infinity : to, outcome });
    this.log.push(`${Math.round(from)}–${Math.round(to)} ${operation} ${version || ''} ${message}`);
    return outcome;
  }

  async #requestPromotion(version: number): Promise<void> {
    const zone = { org: 'acme', product: this.product, zone: this.name };
    const request = {
      release: this.#releaseName(version),
      version: toVersionName(version),
      commit: version.toString().repeat(40),
      digest: toDigest(version),
      replyToWorkflowId: 'promote-release/none',
    };
    await this.#record('enqueue', version, async () => {
      const { type, options } = manageZoneStart(zone);
      await this.#deps.client.workflow.signalWithStart(type, {
        ...options,
        signal: enqueueSignal,
        signalArgs: [request],
      });
      return { outcome: 'done', message: 'signalled' };
    });
  }

  #zonesPath = (tail = ''): string => `/v1/orgs/acme/products/${this.product}/zones${tail}`;

  async #send(path: string, init: { method: string; body?: unknown }) {
    const response = await this.#deps.api.request(path, init);
    const text = await response.text();
    const outcome = response.ok ? 'done' : response.status >= 500 ? 'unknown' : 'rejected';
    return { outcome, message: `${response.status} ${response.ok ? '' : text.slice(0, 200)}` } as const;
  }

  async #post(operation: 'promote' | 'freeze' | 'unfreeze', version: number, body?: unknown): Promise<void> {
    await this.#record(
      operation,
      version,
      async () =>
        await this.#send(this.#zonesPath(`/${this.name}/${operation}`), { method: 'POST', ...(body ? { body } : {}) }),
    );
  }

  async #removeZone(delayMs: number, isAddedAgain: boolean): Promise<void> {
    await sleep(delayMs);
    const path = this.#zonesPath(`/${this.name}?confirm=${this.name}`);
    for (;;)
      if ((await this.#record('remove', 0, async () => await this.#send(path, { method: 'DELETE' }))) === 'done') break;
    if (!isAddedAgain) return;
    const body = { name: this.name, promotionPolicy: 'automatic', replicas: 0 };
    for (;;) {
      if (
        (await this.#record('add', 0, async () => await this.#send(this.#zonesPath(), { method: 'POST', body }))) ===
        'done'
      )
        return;
      await sleep(200);
    }
  }

  async #updateSettings(settings: Partial<ZoneSpec>): Promise<void> {
    for (;;) {
      const { spec, metadata } = await this.#getProduct();
      const zones = spec.delivery.zones.map((zone) => ({ ...zone, ...settings }));
      if (zones.length === 0) return;
      const body = { spec: { ...spec, delivery: { zones } }, generation: metadata.generation };
      const { outcome, message } = await this.#send(`/v1/orgs/acme/products/${this.product}`, { method: 'PUT', body });
      this.log.push(`${Math.round(performance.now())} settings ${JSON.stringify(settings)} ${message}`);
      if (outcome !== 'rejected' || !message.startsWith('409')) return;
    }
  }

  #getProduct = async () => await this.#deps.store.get(ProductKind, { namespace, name: this.product });

  async #check(): Promise<void> {
    const { spec, status } = await this.#getProduct();
    const zone = spec.delivery.zones.find(({ name }) => name === this.name);
    const entry = status?.zones?.find(({ name }) => name === this.name);
    const application = await this.#deps.store.find(ApplicationKind, { namespace, name: this.name });
    const path = zoneValuesPath(this.product, this.name);
    const releases = await this.#readReleases();
    const toNumber = (version?: string): number => Number(version?.split('.')[1] ?? 0);
    const actual = {
      listed: zone !== undefined,
      running: toNumber(entry?.version),
      waits: toNumber(entry?.currentPromotion?.version),
      hold: toNumber(entry?.hold?.version),
      frozen: entry?.freeze !== undefined,
    };
    // A promotion that arrived while the zone was removed was rejected; only the zone workflow knows when it arrived.
    const requests = this.requests.map((one) =>
      one.operation === 'enqueue' && ['Cancelled', 'Failed'].includes(releases.get(one.version)?.phase ?? '')
        ? { ...one, outcome: 'unknown' as const }
        : one,
    );
    const outcomes = listPossibleOutcomes(requests);
    assert(
      outcomes.some((outcome) => isDeepStrictEqual(outcome, actual)),
      `no order explains ${JSON.stringify(actual)}, only ${JSON.stringify(outcomes)}; ${JSON.stringify([...releases])}`,
    );
    for (const [version, { phase }] of releases)
      assert(isTerminalZonePhase(phase) || version === actual.waits, `v${version} is still ${phase}`);
    const text = await this.#deps.readGitops(path, 'main');
    if (!zone) {
      assert.equal(text, undefined, 'the values file still exists');
      assert.equal(application, undefined, 'the Application still exists');
      assert.equal(entry, undefined, 'the status entry still exists');
      const reservation = { namespace: 'service-system', name: zoneReservationName(this.name) };
      assert.equal(await this.#deps.store.find(ConfigMapKind, reservation), undefined, 'the reservation still exists');
      return;
    }
    const expected = toZoneSettings(zone, {
      address: `http://${this.name}.localhost:8081`,
      verifiedDomains: new Set(),
    });
    if (actual.running === 0) {
      assert.equal(application, undefined, 'the Application still exists');
      const isAddedAgain = this.requests.some(({ operation, outcome }) => operation === 'add' && outcome === 'done');
      // The settings of a zone that is added are written before its first Release.
      if (isAddedAgain) assert.equal(entry?.settings?.phase, 'Applied', 'the settings are not applied');
      assert.deepEqual(
        text === undefined ? undefined : parse(text),
        entry?.settings ? expected : undefined,
        'the values file differs from the settings',
      );
      return;
    }
    const { image, release, ...settings } = parse(text ?? '') as ZoneValues;
    assert.deepEqual(
      { settings, appliedSettings: entry?.appliedSettings },
      { settings: expected, appliedSettings: expected },
    );
    assert.notEqual(entry?.settings?.phase, 'Applying');
    assert.equal(release.name, entry?.release);
    assert.equal(image.digest, entry?.digest);
    assert.equal(releases.get(actual.running)?.phase, 'Verified');
    assert.equal(entry?.verifiedAt, releases.get(actual.running)?.verifiedAt);
    const { sync, health, summary } = application?.status ?? {};
    assert.equal(await this.#deps.readGitops(path, sync?.revision ?? ''), text, 'the Application is outdated');
    assert.deepEqual(
      [sync?.status, health?.status, summary?.images],
      ['Synced', 'Healthy', [`${image.repository}@${image.digest}`]],
    );
  }

  async #readReleases() {
    const found = await Promise.all(
      versions.map(async (version) => {
        const { status } = await this.#deps.store.get(ReleaseKind, { namespace, name: this.#releaseName(version) });
        return [version, status?.zones.find(({ name }) => name === this.name)] as const;
      }),
    );
    return new Map(found.flatMap(([version, zone]) => (zone ? [[version, zone] as const] : [])));
  }
}
