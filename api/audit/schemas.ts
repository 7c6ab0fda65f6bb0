import { z } from '@hono/zod-openapi';
import { AuditEntry, auditResults } from '../../src/rules/audit/entry.ts';
import { RequestTimestamp, trimmedText } from '../../src/rules/names.ts';
import { json, listSchema, PageQuery } from '../http/views.ts';

export const jsonLines = 'application/x-ndjson';

const AuditEntryView = z.object(AuditEntry.shape).openapi('AuditEntry', {
  description: 'The record of one change: who made it, from where, with what, when, and what it changed.',
});

const text = trimmedText(254).optional();

export const AuditQuery = PageQuery.extend({
  by: text.openapi({ description: 'Only changes by this person, by e-mail address or name of the User.' }),
  operation: text.openapi({ description: 'Only changes by this operation.', example: 'replaceProduct' }),
  result: z.enum(auditResults).optional().openapi({ description: 'Only changes with this result.' }),
  kind: text.openapi({ description: 'Only changes of resources of this kind.', example: 'Product' }),
  name: text.openapi({ description: 'Only changes of the resource with this name, or whose path contains it.' }),
  since: RequestTimestamp.optional().openapi({ description: 'Only changes at this time or later.' }),
  until: RequestTimestamp.optional().openapi({ description: 'Only changes before this time.' }),
});
export type AuditQuery = z.infer<typeof AuditQuery>;

export const auditResponse = {
  description: 'The changes, newest first; all of them as JSON lines with `Accept: application/x-ndjson`',
  content: {
    ...json(listSchema(AuditEntryView)),
    [jsonLines]: {
      schema: z.string().openapi({
        description: 'One entry per line, newest first. `limit` and `continue` do not apply.',
        example: '{"id":"20261121t120000000z-2f8a6c5d","operation":"freezeZone","by":"ada@example.com"}\n',
      }),
    },
  },
};
