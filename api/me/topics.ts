import { z } from '@hono/zod-openapi';
import { topicKinds, type TopicKindName } from './topic-kinds.ts';

const topicsMax = 100;
export const waitingTopic = 'waiting';

/** A topic of an org; with a name, only that item and its detailed view. */
export type OrgTopic = { text: string; kind: TopicKindName; org: string; name: string | undefined };
export type Topics = { orgTopics: OrgTopic[]; hasWaiting: boolean };

const kindNames = Object.keys(topicKinds) as TopicKindName[];
const shape = /^([a-z]+):([a-z0-9][-.a-z0-9]{0,199})(?:\/([a-z0-9][-.a-z0-9]{0,252}))?$/;

export const TopicsQuery = z.object({
  topics: z
    .string()
    .min(1)
    .max(40_000)
    .transform((text, context): Topics => {
      const texts = [...new Set(text.split(','))];
      const errors = texts.length > topicsMax ? [`must have at most ${topicsMax} topics, not ${texts.length}`] : [];
      errors.push(...texts.slice(0, topicsMax).flatMap((one) => topicViolation(one) ?? []));
      for (const message of errors) context.addIssue({ code: 'custom', message });
      return {
        orgTopics: texts.flatMap((one) => (errors.length === 0 ? (parseTopic(one) ?? []) : [])),
        hasWaiting: texts.includes(waitingTopic),
      };
    })
    .openapi({
      type: 'string',
      description: `Comma-separated topics, at most ${topicsMax}: \`waiting\`, or \`<kind>:<org>\` for the items of a list, or \`<kind>:<org>/<name>\` for one item. The kinds are ${kindNames.map((name) => `\`${name}\``).join(', ')}; the name of \`deliveries\` is an AgentWorkflow.`,
      example: 'waiting,products:acme,agentworkflowruns:acme/change-hello-1',
    }),
});

function parseTopic(text: string): OrgTopic | undefined {
  const [, kind = '', org = '', name] = shape.exec(text) ?? [];
  const known = kindNames.find((candidate) => candidate === kind);
  return known && { text, kind: known, org, name };
}

function topicViolation(text: string): string | undefined {
  if (text === waitingTopic || parseTopic(text)) return undefined;
  const shown = text.slice(0, 100);
  const [, kind] = shape.exec(text) ?? [];
  return kind === undefined
    ? `has the malformed topic "${shown}": write "<kind>:<org>", "<kind>:<org>/<name>" or "waiting"`
    : `has the unknown kind "${kind}" in "${shown}": use ${kindNames.join(', ')}`;
}
