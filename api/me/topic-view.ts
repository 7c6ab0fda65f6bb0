import type { Context } from 'hono';
import type { OrgRole } from '../../src/rules/access/roles.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { ApiDeps, ApiEnv } from '../deps.ts';
import type { Representation } from '../http/representation.ts';
import type { TopicChange } from './topic-changes.ts';
import { topicKinds } from './topic-kinds.ts';

/** The role of a caller in an org; in a personal org, callers with the same role may have different actions. */
export type OrgAccess = { role: OrgRole; isPersonal: boolean };

/** Reads a view as JSON text, once for all connections whose callers have the same role; `null` for a removed item. */
export async function readTopicView(
  c: Context<ApiEnv>,
  config: ApiDeps['config'],
  { topic, object, item, access }: TopicChange & { access: OrgAccess },
): Promise<string> {
  const { role, isPersonal } = access;
  const { email, user } = c.get('caller');
  const cache = c.get('responseCache');
  const { kind, buildView } = topicKinds[topic.kind];
  const isDetailed = topic.name !== undefined;
  const key = ['topic', role, isPersonal ? user : '', topic.kind, isDetailed, topic.org, object, item.name].join(' ');
  const { representation } =
    cache.find(key) ??
    (await cache.compute(key, async (reads) => {
      const found = await reads.find(kind, { namespace: orgNamespace(topic.org), name: object });
      const viewer = { org: topic.org, role, email };
      const input = { name: item.name, viewer, isDetailed };
      return (found && (await buildView({ store: reads, config }, { object: found, ...input }))) ?? null;
    }));
  return toText(representation);
}

const decoder = new TextDecoder();
const texts = new WeakMap<Representation, string>();
/** Decodes a body once for all connections. */
function toText(representation: Representation): string {
  const text = texts.get(representation) ?? decoder.decode(representation.body);
  texts.set(representation, text);
  return text;
}
