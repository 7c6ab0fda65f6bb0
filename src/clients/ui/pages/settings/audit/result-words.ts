import type { AuditEntry } from '../../../api/queries/audit.ts';
import type { State } from '../../../parts/phase-state.ts';

/** The mark and the words of each result. */
export const resultWords: Record<AuditEntry['result'], [state: State, words: string]> = {
  succeeded: ['done', 'Succeeded'],
  refused: ['held', 'Refused'],
  failed: ['failed', 'Failed'],
  unknown: ['idle', 'Unknown'],
};
