import { z } from '@hono/zod-openapi';
import { Timestamp } from '../../src/rules/names.ts';
import { ActionView } from '../http/views.ts';

export const WaitingItemView = z
  .object({
    kind: z
      .enum(['step', 'promotion', 'domain'])
      .describe('What waits: a step of a run, the promotion of a Release to a zone, or a domain without DNS records.'),
    org: z.string().describe('Name of the org.'),
    product: z.string().optional().describe('Product of the run or the Release.'),
    name: z.string().describe('Name of the run, the Release or the domain.'),
    title: z.string().describe('Title of the issue, version of the Release, or name of the domain.'),
    step: z.string().optional().describe('Step of the run.'),
    zone: z.string().optional().describe('Zone of the promotion.'),
    phase: z.string().describe('Phase of the step or the promotion, or state of the domain.'),
    headSha: z.string().optional().describe('Head commit of the pull request, which `approveStep` takes.'),
    commit: z.string().optional().describe('Commit of the Release.'),
    message: z.string().optional().describe('What the person must decide or do.'),
    since: Timestamp.describe('Time at which the wait began.'),
    role: z.string().describe('Minimum role of the person who can act.'),
    people: z
      .array(z.string())
      .optional()
      .describe('If the org demands another person: e-mail addresses of members who may approve, at most 10.'),
    actions: z
      .array(ActionView)
      .describe('Operations that end the wait, with whether the caller can perform them now.'),
    path: z.string().describe('Path of the page in the web UI.'),
  })
  .openapi('WaitingItem');
export type WaitingItemView = z.infer<typeof WaitingItemView>;
