/** A list of an org, or one of its resources, whose changes a page shows at once; `waiting` is for all orgs. */
export type Topic = { kind: OrgTopicKind; org: string; name?: string } | { kind: 'waiting' };

/** The kinds by the names of their query keys, with the name in the API and the keys of what is computed from them. */
export const topicKinds = {
  changes: { plural: 'agentworkflowruns', item: 'change', related: ['board', 'explanation', 'activity', 'dora'] },
  releases: {
    plural: 'releases',
    item: 'release',
    related: ['zones', 'zone', 'products', 'product', 'changes', 'activity', 'dora'],
  },
  incidents: { plural: 'incidents', item: 'incident', related: ['dora'] },
  products: { plural: 'products', item: 'product', related: ['zones', 'zone'] },
  zones: { plural: 'zones', item: 'zone', related: [] },
  domains: { plural: 'domains', item: 'domain', related: [] },
  workflows: { plural: 'agentworkflows', item: 'workflow', related: [] },
  roles: { plural: 'agentroles', item: 'role', related: [] },
  deliveries: { plural: 'deliveries', item: 'delivery', related: [] },
} as const;
export type OrgTopicKind = keyof typeof topicKinds;

/** Writes a topic as `/v1/me/stream` takes it. */
export function formatTopic(topic: Topic): string {
  if (topic.kind === 'waiting') return 'waiting';
  const { plural } = topicKinds[topic.kind];
  return topic.name === undefined ? `${plural}:${topic.org}` : `${plural}:${topic.org}/${topic.name}`;
}

export function parseTopic(text: string): Topic | undefined {
  if (text === 'waiting') return { kind: 'waiting' };
  const [, plural, org = '', name] = /^([a-z]+):([^/]+)(?:\/(.+))?$/.exec(text) ?? [];
  const kind = (Object.keys(topicKinds) as OrgTopicKind[]).find((one) => topicKinds[one].plural === plural);
  return kind && { kind, org, ...(name !== undefined && { name }) };
}
