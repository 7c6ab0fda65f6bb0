import type { Host } from '../host.ts';
import type { Check } from '../tables.ts';

export type CheckVerdict = 'passed' | 'pending' | 'failed';

const passedStates: readonly string[] = ['success', 'neutral', 'skipped'];
const pendingStates: readonly string[] = ['queued', 'in_progress', 'pending'];

export function judgeCheck({ state }: Pick<Check, 'state'>): CheckVerdict {
  if (passedStates.includes(state)) return 'passed';
  return pendingStates.includes(state) ? 'pending' : 'failed';
}

/** Lists the newest check run or commit status of each name. */
export function listChecks({ database }: Host, repositoryId: number, sha: string): Check[] {
  const rows = database.all<Check>(
    'SELECT * FROM checks WHERE repositoryId = ? AND sha = ? ORDER BY id',
    repositoryId,
    sha,
  );
  return [...new Map(rows.map((row) => [`${row.kind} ${row.name}`, row])).values()];
}

export const listStatuses = (host: Host, repositoryId: number, sha: string): Check[] =>
  listChecks(host, repositoryId, sha).filter(({ kind }) => kind === 'status');

export const listCheckRuns = (host: Host, repositoryId: number, sha: string): Check[] =>
  listChecks(host, repositoryId, sha).filter(({ kind }) => kind === 'run');

export const findCheckRun = ({ database }: Host, repositoryId: number, id: number): Check | undefined =>
  database.get<Check>("SELECT * FROM checks WHERE id = ? AND repositoryId = ? AND kind = 'run'", id, repositoryId);
