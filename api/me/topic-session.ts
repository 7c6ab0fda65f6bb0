import type { Context } from 'hono';
import { roleViolation } from '../../src/rules/access/actions.ts';
import { AccessGroupKind } from '../../src/rules/access/kinds.ts';
import type { OrgRole } from '../../src/rules/access/roles.ts';
import { OrganizationKind } from '../../src/rules/orgs/kinds.ts';
import { orgNamespace, systemNamespace } from '../../src/rules/resource.ts';
import { cachedReads } from '../../src/store/cached-reads.ts';
import type { ApiDeps, ApiEnv } from '../deps.ts';
import { formatEvent, type EventSink } from '../http/open-event-stream.ts';
import { formatCursor, parseCursor, type Cursor } from './stream-cursor.ts';
import { TopicChanges, type TopicChange } from './topic-changes.ts';
import { listKinds, topicKinds } from './topic-kinds.ts';
import { readTopicView, type OrgAccess } from './topic-view.ts';
import { waitingTopic, type OrgTopic, type Topics } from './topics.ts';
import type { WaitingChanges } from './waiting-changes.ts';
import { watchWaiting } from './watch-waiting.ts';

type SessionDeps = Pick<ApiDeps, 'store' | 'config'> & { waitingChanges: WaitingChanges };

/** The topics of one connection. It keeps the names of what changed, and reads the views when the client takes them. */
export class TopicSession {
  readonly #c: Context<ApiEnv>;
  readonly #deps: SessionDeps;
  readonly #hasWaiting: boolean;
  readonly #changes: TopicChanges;
  /** The topics that the client has to read. */
  readonly #relist = new Set<string>();
  /** The orgs in which the role of the caller may have changed. */
  readonly #recheck = new Set<string>();
  readonly #roles = new Map<string, OrgRole>();
  readonly #closers: (() => void)[] = [];
  #woken = Promise.withResolvers<void>();
  /** A change that is being sent is no longer pending, but has not reached the client yet. */
  #isSending = true;

  constructor(c: Context<ApiEnv>, deps: SessionDeps, { orgTopics, hasWaiting }: Topics) {
    this.#c = c;
    this.#deps = deps;
    this.#hasWaiting = hasWaiting;
    this.#changes = new TopicChanges(orgTopics);
  }

  /** Sends the changes of the topics until the stream ends. */
  async run(sink: EventSink): Promise<void> {
    const { signal } = sink;
    signal.addEventListener('abort', this.#wake);
    try {
      // A watch does not start while the store refuses to list its kind, and the client may leave before.
      const ended = new Promise((resolve) => signal.addEventListener('abort', resolve));
      const cursor = parseCursor(this.#c.req.header('last-event-id'));
      if (!signal.aborted) await Promise.race([this.#start(cursor, signal), ended]);
      while (!signal.aborted) {
        const woken = this.#woken.promise;
        this.#isSending = true;
        await this.#sendPending(sink);
        this.#isSending = false;
        await woken;
      }
    } finally {
      for (const close of this.#closers) close();
    }
  }

  /** The id to resume from between two events, when everything up to it has been sent. */
  findIdleId(): string | undefined {
    return this.#isSending ? undefined : this.#findId();
  }

  /** The id to resume from after the event that is being sent. */
  #findId(): string | undefined {
    if (this.#changes.size + this.#relist.size + this.#recheck.size > 0) return undefined;
    const cursor: Cursor = new Map();
    for (const kind of new Set(this.#changes.topics.flatMap((topic) => listKinds(topic.kind)))) {
      const version = this.#c.get('sharedWatches').version(kind);
      if (version === undefined) return undefined;
      cursor.set(kind.plural, version);
    }
    return cursor.size === 0 ? undefined : formatCursor(cursor);
  }

  async #start(cursor: Cursor, signal: AbortSignal): Promise<void> {
    const { topics } = this.#changes;
    const byOrg = Map.groupBy(topics, ({ org }) => org);
    const ready = [...byOrg].flatMap(([org, own]) => [...this.#watchTopics(org, own, cursor), ...this.#watchRole(org)]);
    for (const org of byOrg.keys()) this.#recheck.add(org);
    await Promise.all([...ready, this.#loadZones()]);
    if (signal.aborted) return;
    for (const topic of topics) if (!this.#replay(topic, cursor)) this.#relist.add(topic.text);
    if (!this.#hasWaiting) return;
    const onChange = (): void => {
      this.#relist.add(waitingTopic);
      this.#wake();
    };
    const waiting = watchWaiting(this.#c, { ...this.#deps, onChange });
    this.#closers.push(waiting.close);
    await waiting.ready;
  }

  #watchTopics(org: string, topics: readonly OrgTopic[], cursor: Cursor): Promise<void>[] {
    const kinds = new Set(topics.flatMap(({ kind }) => listKinds(kind)));
    return [...kinds].map((kind) => {
      const { ready, close } = this.#c.get('sharedWatches').subscribe(kind, {
        namespace: orgNamespace(org),
        resourceVersion: cursor.get(kind.plural),
        onChange: (event) => {
          if (!this.#changes.add(kind, event)) this.#relistAll();
          this.#wake();
        },
        onExpired: () => this.#relistAll(),
      });
      this.#closers.push(close);
      return ready;
    });
  }

  #watchRole(org: string): Promise<void>[] {
    const recheck = (): void => {
      this.#recheck.add(org);
      this.#wake();
    };
    const listener = { onChange: recheck, onExpired: recheck };
    const watches = this.#c.get('sharedWatches');
    const subscriptions = [
      watches.subscribe(AccessGroupKind, { namespace: orgNamespace(org), ...listener }),
      watches.subscribe(OrganizationKind, { namespace: systemNamespace, name: org, ...listener }),
    ];
    this.#closers.push(...subscriptions.map(({ close }) => close));
    return subscriptions.map(({ ready }) => ready);
  }

  async #loadZones(): Promise<void> {
    const topics = this.#changes.topics.filter(({ kind }) => kind === 'zones');
    for (const org of new Set(topics.map((topic) => topic.org))) {
      const namespace = orgNamespace(org);
      this.#changes.knowZones((await cachedReads(this.#deps.store).list(topicKinds.zones.kind, { namespace })).items);
    }
  }

  /** Adds the changes since the cursor. Returns false when some of them are not known. */
  #replay(topic: OrgTopic, cursor: Cursor): boolean {
    const missed = listKinds(topic.kind).map((kind) => {
      const version = cursor.get(kind.plural);
      const events = version === undefined ? undefined : this.#c.get('sharedWatches').changesAfter(kind, version);
      return events && { kind, events };
    });
    return missed.every(
      (one) => one !== undefined && one.events.every((event) => this.#changes.add(one.kind, event, topic)),
    );
  }

  #relistAll(): void {
    for (const { text } of this.#changes.topics) this.#relist.add(text);
    if (this.#hasWaiting) this.#relist.add(waitingTopic);
    this.#wake();
  }

  readonly #wake = (): void => {
    const { resolve } = this.#woken;
    this.#woken = Promise.withResolvers<void>();
    resolve();
  };

  async #sendPending(sink: EventSink): Promise<void> {
    for (const org of this.#recheck) await this.#recheckOrg(sink, org);
    if (this.#relist.size > 0) {
      const topics = [...this.#relist];
      this.#relist.clear();
      await sink.send({ event: 'relist', data: { topics }, id: this.#findId() });
    }
    for (const change of this.#changes.take()) {
      await this.#sendChange(sink, change);
      if (sink.signal.aborted) return;
    }
  }

  /** Ends the topics of an org that the caller may no longer read, or has them read again with another role. */
  async #recheckOrg(sink: EventSink, org: string): Promise<void> {
    this.#recheck.delete(org);
    const access = await this.#authorize(sink, org);
    if (!access) return;
    const isFirst = !this.#roles.has(org);
    this.#roles.set(org, access.role);
    if (!isFirst) for (const topic of this.#changes.topics) if (topic.org === org) this.#relist.add(topic.text);
  }

  async #authorize(sink: EventSink, org: string): Promise<OrgAccess | undefined> {
    const role = await this.#findRole(org);
    const violation = roleViolation(role, 'viewer');
    if (role !== undefined && violation === undefined) {
      const organization = await this.#c.get('authenticator').findOrganization(org);
      return { role, isPersonal: organization?.spec.approvals?.preventSelfApproval ?? false };
    }
    const topics = this.#changes.removeOrg(org).map(({ text }) => text);
    for (const text of topics) this.#relist.delete(text);
    const detail = `Not allowed in org "${org}". ${violation}`;
    if (topics.length > 0) await sink.send({ event: 'closed', data: { topics, reason: 'insufficient-role', detail } });
    return undefined;
  }

  async #findRole(org: string): Promise<OrgRole | undefined> {
    return await this.#c.get('authenticator').findRole(this.#c.get('caller'), org);
  }

  async #sendChange(sink: EventSink, change: TopicChange): Promise<void> {
    const { topic, item, resourceVersion } = change;
    const access = await this.#authorize(sink, topic.org);
    if (!access) return;
    const view = await readTopicView(this.#c, this.#deps.config, { ...change, access });
    // The role may have been lost while the view was read.
    if ((await this.#findRole(topic.org)) !== access.role) return void this.#recheck.add(topic.org);
    const [event, data] =
      view === 'null'
        ? ['deleted', JSON.stringify({ topic: topic.text, name: item.name, resourceVersion })]
        : ['changed', `{"topic":"${topic.text}","name":"${item.name}","view":${view}}`];
    await sink.write(formatEvent({ event, data, id: this.#findId() }));
  }
}
