import { invalid } from '../../src/errors.ts';
import type { Lane } from '../../src/rules/activity/lanes.ts';
import type { PageQuery } from '../http/views.ts';

/** Returns a page of lanes. The token names the last lane, so a lane that starts meanwhile moves no other one. */
export function readLanePage(
  lanes: readonly Lane[],
  { limit, continue: token }: PageQuery,
): { items: Lane[]; continue?: string } {
  const start = token === undefined ? 0 : findStart(lanes, token);
  const items = lanes.slice(start, start + limit);
  const last = items.at(-1);
  return { items, ...(last && start + limit < lanes.length && { continue: toToken(last) }) };
}

const toToken = ({ from, name }: Lane): string => Buffer.from(`${from} ${name}`).toString('base64url');

function findStart(lanes: readonly Lane[], token: string): number {
  const [, time, name = ''] = /^(\d+) (.+)$/.exec(Buffer.from(token, 'base64url').toString()) ?? [];
  if (time === undefined)
    throw invalid('The token of the page is not valid. Start with the first page.', [
      { pointer: '?continue', detail: 'is not a token of this list' },
    ]);
  const from = Number(time);
  const start = lanes.findIndex(
    (lane) => lane.from < from || (lane.from === from && lane.name.localeCompare(name) > 0),
  );
  return start < 0 ? lanes.length : start;
}
