import type { Context, TypedResponse } from 'hono';
import type { AuditEntry } from '../../src/rules/audit/entry.ts';
import { toEntryTime } from '../../src/rules/audit/entry-id.ts';
import { matchesAuditQuery } from '../../src/rules/audit/matches-audit-query.ts';
import type { ApiDeps, ApiEnv } from '../deps.ts';
import { acceptedCoding, acceptedType } from '../http/negotiate.ts';
import { decodePosition, encodePosition } from '../http/pagination.ts';
import { readEntries } from './audit-log.ts';
import { jsonLines, type AuditQuery } from './schemas.ts';

type Selection = { scope: string; query: AuditQuery };
type EntryPage = { items: AuditEntry[]; continue?: string };

/** Entries that the export reads at a time. */
const exportPageSize = 500;

/** Responds with one page of the entries of a scope, or with all of them as JSON lines. */
export async function respondEntries(
  c: Context<ApiEnv>,
  deps: Pick<ApiDeps, 'store' | 'blobs'>,
  { scope, query }: Selection,
): Promise<TypedResponse<EntryPage, 200, 'json'> | Response> {
  c.header('Cache-Control', 'no-store');
  const readFrom = async (before: string | undefined, limit: number) =>
    await readEntries(deps, scope, {
      before,
      from: query.since === undefined ? undefined : toEntryTime(new Date(query.since)),
      limit,
      matches: (entry) => matchesAuditQuery(entry, query),
    });
  const until = query.until === undefined ? undefined : toEntryTime(new Date(query.until));
  if (acceptedType(c, ['application/json', jsonLines]) === jsonLines)
    return respondLines(c, (before) => readFrom(before ?? until, exportPageSize));
  const [position] = query.continue === undefined ? [until] : decodePosition(c, query.continue);
  const { items, next } = await readFrom(position === undefined ? undefined : String(position), query.limit);
  return c.json({ items, ...(next !== undefined && { continue: encodePosition(c, [next]) }) }, 200);
}

type ReadPage = (before: string | undefined) => Promise<{ items: AuditEntry[]; next?: string }>;

/** Streams the entries, because those of a year are more than fits into memory. A failure cuts the connection. */
async function respondLines(c: Context<ApiEnv>, readPage: ReadPage): Promise<Response> {
  // The first page is read before the response begins, so that an unavailable store is still a 503.
  let page: Awaited<ReturnType<ReadPage>> | undefined = await readPage(undefined);
  const reauthorize = c.get('reauthorize');
  const lines = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (!page) return controller.close();
      // The caller decides how long the export takes, and may have lost the role meanwhile.
      await reauthorize();
      const text = page.items.map((entry) => `${JSON.stringify(entry)}\n`).join('');
      const { next } = page;
      page = next === undefined ? undefined : await readPage(next);
      controller.enqueue(new TextEncoder().encode(text));
    },
  });
  const isCompressed = acceptedCoding(c, ['gzip', 'identity']) === 'gzip';
  // The header also keeps the response from being read into memory for its ETag.
  c.header('Content-Encoding', isCompressed ? 'gzip' : 'identity');
  c.header('Vary', 'Accept, Accept-Encoding');
  c.header('Content-Type', jsonLines);
  return c.body(isCompressed ? lines.pipeThrough(new CompressionStream('gzip') as never) : lines, 200);
}
