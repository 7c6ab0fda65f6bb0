import type { Schemas } from '../../../api/generated/openapi.ts';
import type { State } from '../../../parts/phase-state.ts';

type LicenseState = { mark: State; word: string; when: string; effect: string };

/** The mark and the words of each state of a licence. */
export const states: Record<Schemas['License']['state'], LicenseState> = {
  evaluation: { mark: 'idle', word: 'Evaluation', when: 'No licence is installed', effect: 'Runs fully' },
  licensed: { mark: 'done', word: 'Licensed', when: 'A valid licence is installed', effect: 'Runs fully' },
  expired: { mark: 'warn', word: 'Expired', when: 'Its date has passed', effect: 'Runs fully' },
  invalid: {
    mark: 'failed',
    word: 'Invalid',
    when: 'Malformed, or the signature does not verify',
    effect: 'Runs fully; this page says why',
  },
};
