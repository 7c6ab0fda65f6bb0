import { z } from '@hono/zod-openapi';
import { Timestamp } from '../../src/rules/names.ts';
import { ActionView } from '../http/views.ts';

export const WaitingItemView = z
  .object({
    kind: z
      .enum(['step', 'promotion', 'incident', 'domain'])
      .describe(
        'What waits: a step of a run, the promotion of a Release to a zone, an incident that no one has acknowledged, or a domain without DNS records.',
      ),
    org: z.string().describe('Name of the org.'),
    product: z.string().optional().describe('Product of the run, the Release or the incident.'),
    name: z.string().describe('Name of the run, the Release, the incident or the domain.'),
    title: z.string().describe('Title of the issue or the incident, version of the Release, or name of the domain.'),
    step: z.string().optional().describe('Step of the run.'),
    zone: z.string().optional().describe('Zone of the promotion or the incident.'),
    phase: z.string().describe('Phase of the step or the promotion, or state of the incident or the domain.'),
    headSha: z.string().optional().describe('Head commit of the pull request, which `approveStep` takes.'),
    commit: z.string().optional().describe('Commit of the Release.'),
    message: z.string().optional().describe('What the person must decide or do.'),
    since: Timestamp.describe('Time at which the wait began.'),
    role: z.string().describe('Minimum role of the person who can act.'),
    people: z
      .array(z.string())
      .optional()
      .describe('If the org demands another person: e-mail addresses of people who may approve, at most 10.'),
    actions: z
      .array(ActionView)
      .describe('Operations that end the wait, with whether the caller can perform them now.'),
    path: z.string().describe('Path of the page in the web UI.'),
  })
  .openapi('WaitingItem');
export type WaitingItemView = z.infer<typeof WaitingItemView>;

const topicField = { type: 'string', description: 'Topic of the request.' };
const topicsField = { type: 'array', items: topicField, description: 'Topics of the request.' };
const nameField = { type: 'string', description: 'Name of the item.' };

const viewNames = [
  'Product',
  'Zone',
  'AgentWorkflowRunSummary',
  'AgentWorkflowRun',
  'Release',
  'Incident',
  'Domain',
  'AgentWorkflow',
  'AgentRole',
  'Delivery',
];

/** The events of `streamTopics`, for the OpenAPI document. */
export const topicEvents = {
  description:
    'Server-sent events. The latest `id` can be sent as `Last-Event-ID`; missed events follow, or `relist` if they are no longer available.',
  events: {
    changed: {
      description: 'An item was created or changed.',
      data: {
        type: 'object',
        properties: {
          topic: topicField,
          name: nameField,
          view: {
            description:
              'View of the item, as the list of the topic returns it; with the name of a run in the topic, as `getRun` returns it.',
            anyOf: viewNames.map((name) => ({ $ref: `#/components/schemas/${name}` })),
          },
        },
        required: ['topic', 'name', 'view'],
      },
    },
    deleted: {
      description: 'An item was removed.',
      data: {
        type: 'object',
        properties: {
          topic: topicField,
          name: nameField,
          resourceVersion: { type: 'string', description: 'Version of the deletion.' },
        },
        required: ['topic', 'name', 'resourceVersion'],
      },
    },
    relist: {
      description:
        'Read the lists and items of these topics; all later changes follow. It is the first event, unless the stream resumes. The topic `waiting` has no other event.',
      data: { type: 'object', properties: { topics: topicsField }, required: ['topics'] },
    },
    closed: {
      description:
        'The caller may not read these topics, and the stream continues with the others. Without `topics`, the credentials have ended, and so does the stream.',
      data: {
        type: 'object',
        properties: {
          topics: topicsField,
          reason: { type: 'string', description: 'Machine-readable cause, as the `reason` of a problem.' },
          detail: { type: 'string', description: 'The cause and the fix, for people.' },
        },
        required: ['reason', 'detail'],
      },
    },
  },
};
