import type { Column, Issue } from '../../api/queries/issues.ts';

export const columns: Column[] = ['Backlog', 'In progress', 'Review', 'Done'];

/** Starting and cancelling a Change are the moves; the columns follow from what happens to the issue. */
export type Move = 'start' | 'cancel';

/** A column that a card can be moved to: by which action, or why it cannot. */
export type Target = { column: Column; move?: Move; why?: string };

/** Every other column of a card. The service refuses a move by the same reasons. */
export const listTargets = (issue: Issue): Target[] =>
  columns.filter((column) => column !== issue.column).map((column) => toTarget(issue, column));

export function toTarget({ column: from, actions }: Issue, column: Column): Target {
  if (column === from) return { column, why: `The issue is in ${column} already.` };
  if (column === 'Review') return { column, why: 'A Change moves here when it asks for approval.' };
  if (column === 'Done')
    return { column, why: 'An issue moves here when it is closed, which the merge of its Change does.' };
  if (from === 'Done') return { column, why: 'The issue is closed. Reopen it at the code host first.' };
  if (column === 'In progress') {
    const start = actions.find(({ name }) => name === 'startRun');
    return start?.allowed ? { column, move: 'start' } : { column, why: start?.message ?? 'No Change can start.' };
  }
  const cancel = actions.find(({ name }) => name === 'cancelRun');
  return cancel?.allowed ? { column, move: 'cancel' } : { column, why: cancel?.message ?? 'No Change is in progress.' };
}

type Filter = { q?: string | undefined; label?: string | undefined; repo?: string | undefined };

/** The text may be of the title, or the number of the issue. */
export function matchesFilter({ title, number, labels, repo: ofRepo }: Issue, { q, label, repo }: Filter): boolean {
  const text = q?.trim().toLowerCase().replace(/^#/, '') ?? '';
  return (
    (text === '' || title.toLowerCase().includes(text) || String(number).startsWith(text)) &&
    (label === undefined || labels.includes(label)) &&
    (repo === undefined || ofRepo === repo)
  );
}

export type Key = 'ArrowUp' | 'ArrowDown' | 'ArrowLeft' | 'ArrowRight';

/** The card that an arrow key leads to; empty columns are skipped. */
export function findNeighbour(cards: string[][], current: string, key: Key): string | undefined {
  const at = cards.findIndex((column) => column.includes(current));
  const row = cards[at]?.indexOf(current) ?? -1;
  if (key === 'ArrowUp') return cards[at]?.[row - 1];
  if (key === 'ArrowDown') return cards[at]?.[row + 1];
  const filled = cards.filter((column, index) => column.length > 0 && (key === 'ArrowLeft' ? index < at : index > at));
  const next = key === 'ArrowLeft' ? filled.at(-1) : filled[0];
  return next?.[Math.min(row, next.length - 1)];
}

export const toKey = ({ repo, number }: Pick<Issue, 'repo' | 'number'>): string => `${repo}#${number}`;
