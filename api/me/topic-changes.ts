import { orgNamespace, type Kind, type StoredObject } from '../../src/rules/resource.ts';
import type { WatchEvent } from '../../src/store/store.ts';
import { topicKinds, type TopicItem } from './topic-kinds.ts';
import type { OrgTopic } from './topics.ts';

/** A client that is further behind reads its lists again. */
const changesMax = 1_000;

/** A changed item of a topic, and the object that contains it. */
export type TopicChange = { topic: OrgTopic; object: string; item: TopicItem; resourceVersion: string };

/** Keeps which items of the topics have changed and were not sent yet: an item that changes twice is kept once. */
export class TopicChanges {
  readonly #topics: Set<OrgTopic>;
  readonly #hasZones: boolean;
  readonly #changes = new Map<string, TopicChange>();
  /** Zones are part of their Product, so a removed zone is known only from an earlier version. */
  readonly #zones = new Map<string, TopicItem[]>();

  constructor(topics: readonly OrgTopic[]) {
    this.#topics = new Set(topics);
    this.#hasZones = topics.some(({ kind }) => kind === 'zones');
  }

  get topics(): OrgTopic[] {
    return [...this.#topics];
  }

  get size(): number {
    return this.#changes.size;
  }

  knowZones(products: readonly StoredObject[]): void {
    for (const product of products) this.#zones.set(toKey(product), topicKinds.zones.listItems(product));
  }

  /** Adds an event for one topic or for all. Returns false when there are too many changes; they are forgotten then. */
  add(kind: Kind<StoredObject>, event: WatchEvent<StoredObject>, only?: OrgTopic): boolean {
    const { namespace } = event.object.metadata;
    const zonesBefore = this.#zones.get(toKey(event.object)) ?? [];
    for (const topic of only ? [only] : this.#topics)
      if (orgNamespace(topic.org) === namespace) this.#addForTopic(topic, kind, { event, zonesBefore });
    if (this.#hasZones && kind === topicKinds.zones.kind) this.#rememberZones(event);
    if (this.#changes.size <= changesMax) return true;
    this.#changes.clear();
    return false;
  }

  #addForTopic(
    topic: OrgTopic,
    kind: Kind<StoredObject>,
    { event: { object }, zonesBefore }: { event: WatchEvent<StoredObject>; zonesBefore: TopicItem[] },
  ): void {
    const { namespace, name, resourceVersion } = object.metadata;
    const { kind: own, listItems, related = [] } = topicKinds[topic.kind];
    if (own === kind) {
      const items = [...(topic.kind === 'zones' ? zonesBefore : []), ...listItems(object)];
      for (const item of items) this.#addItem({ topic, object: name, item, resourceVersion });
      return;
    }
    const affected = related.find((one) => one.kind === kind)?.findAffected(object);
    if (affected === undefined) return;
    const itself = [{ name: affected, topicName: affected }];
    const items = topic.kind === 'zones' ? (this.#zones.get(`${namespace}/${affected}`) ?? []) : itself;
    for (const item of items) this.#addItem({ topic, object: affected, item, resourceVersion });
  }

  #addItem(change: TopicChange): void {
    const { topic, item } = change;
    if (topic.name !== undefined && topic.name !== item.topicName) return;
    this.#changes.set(`${topic.text} ${item.name}`, change);
  }

  #rememberZones({ type, object }: WatchEvent<StoredObject>): void {
    if (type === 'DELETED') this.#zones.delete(toKey(object));
    else this.knowZones([object]);
  }

  /** Yields and forgets the changes, also those that are added meanwhile. */
  *take(): Generator<TopicChange> {
    for (const [key, change] of this.#changes) {
      this.#changes.delete(key);
      yield change;
    }
  }

  /** Ends the topics of an org and returns them. */
  removeOrg(org: string): OrgTopic[] {
    const removed = this.topics.filter((topic) => topic.org === org);
    for (const topic of removed) this.#topics.delete(topic);
    for (const [key, { topic }] of this.#changes) if (topic.org === org) this.#changes.delete(key);
    return removed;
  }
}

const toKey = ({ metadata }: StoredObject): string => `${metadata.namespace}/${metadata.name}`;
