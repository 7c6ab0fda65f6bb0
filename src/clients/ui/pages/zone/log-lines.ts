import type { Schemas } from '../../api/generated/openapi.ts';

export type LogLevel = 'warn' | 'error';
export type LogLine = { id: string; at: string; pod: string; text: string; level: LogLevel | undefined };
type PodLogs = Schemas['ZoneLogs']['pods'];

/** The lines of all pods in the order of their times. An id names the same line in every response. */
export function mergeLines(pods: PodLogs): LogLine[] {
  const lines = pods.flatMap(({ name, lines: own }) => {
    const seen = new Map<string, number>();
    return own.map(({ at, text }) => {
      const count = seen.get(at) ?? 0;
      seen.set(at, count + 1);
      return { id: `${name}/${at}${count === 0 ? '' : `/${count}`}`, at, pod: name, text, level: detectLevel(text) };
    });
  });
  // Times of different precision do not compare as text; sorting keeps the order of equal ones.
  return lines.toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));
}

/** The level that a line names, as text, as logfmt or as JSON with the names or the numbers of common loggers. */
export function detectLevel(text: string): LogLevel | undefined {
  const [, named] = /"?\b(?:level|severity|lvl)"?\s*[=:]\s*"?(\w+)/i.exec(text) ?? [];
  if (named !== undefined) return toLevel(named);
  const [, word] = /(?:^|[\s[(|])(FATAL|PANIC|CRITICAL|CRIT|ERROR|ERR|WARN|WARNING)(?=[\s\]):|,]|$)/.exec(text) ?? [];
  return word === undefined ? undefined : toLevel(word);
}

function toLevel(name: string): LogLevel | undefined {
  const number = Number(name);
  if (Number.isFinite(number)) return number >= 50 ? 'error' : number >= 40 ? 'warn' : undefined;
  if (/^(fatal|panic|crit|critical|err|error|alert|emerg)/i.test(name)) return 'error';
  return /^warn/i.test(name) ? 'warn' : undefined;
}

/** The number of lines that match in the whole logs, also of those that the response leaves out. */
export function countMatches(pods: PodLogs): { count: number; isComplete: boolean } | undefined {
  const matches = pods.flatMap((pod) => pod.matches ?? []);
  if (matches.length === 0) return undefined;
  return {
    count: matches.reduce((sum, { count }) => sum + count, 0),
    isComplete: matches.every(({ complete }) => complete),
  };
}

/** Splits a text at what was searched for: every second part is a match. */
export function splitMatches(text: string, contains: string | undefined): string[] {
  if (contains === undefined || contains === '') return [text];
  return text.split(contains).flatMap((part, index) => (index === 0 ? [part] : [contains, part]));
}

/** The text to download contains exactly the lines that are shown. */
export const formatLines = (lines: readonly LogLine[]): string =>
  lines.map(({ at, pod, text }) => `${at} ${pod} ${text}\n`).join('');
