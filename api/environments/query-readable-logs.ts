import { stripVTControlCharacters } from 'node:util';
import { maskSecrets } from '../../src/integrations/telemetry/mask-secrets.ts';
import {
  searchLinesMax,
  type LogQuery,
  type PodLog,
  type ZoneTelemetry,
} from '../../src/integrations/telemetry/zone-telemetry.ts';

/**
 * Returns the logs of a zone without control characters and with masked secrets. A search finds only what it may
 * return, so that its count tells nothing about a masked text.
 */
export async function queryReadableLogs(
  telemetry: Pick<ZoneTelemetry, 'queryLogs'>,
  zone: string,
  query: LogQuery,
): Promise<PodLog[]> {
  const { contains, tailLines } = query;
  if (contains === undefined) return await Promise.all((await telemetry.queryLogs(zone, query)).map(toReadable));
  const logs = await telemetry.queryLogs(zone, { ...query, tailLines: searchLinesMax });
  return await Promise.all(
    logs.map(async (log) => {
      const found = (await toReadable(log)).lines.filter(({ text }) => text.includes(contains));
      const isComplete = log.matches?.isComplete === true && log.matches.count === log.lines.length;
      return { pod: log.pod, lines: found.slice(-tailLines), matches: { count: found.length, isComplete } };
    }),
  );
}

async function toReadable(log: PodLog): Promise<PodLog> {
  const texts = log.lines.map(({ text }) => stripControlCharacters(text));
  const masked = (await maskSecrets(texts.join('\n'))).split('\n');
  return { ...log, lines: log.lines.map(({ at }, index) => ({ at, text: masked[index] ?? '' })) };
}

/** Removes colours and control characters, so that app output cannot move the reader's cursor or start a line. */
const stripControlCharacters = (text: string): string =>
  stripVTControlCharacters(text.replace(/\r$/, '')).replaceAll(/(?!\t)[\p{Cc}\u2028\u2029]/gu, '\u{FFFD}');
