/** The marks of the UI: each is a shape, a colour and, next to it, a word. */
export type State = 'done' | 'working' | 'waiting' | 'warn' | 'failed' | 'idle' | 'held';

/** The mark and the words of every phase of runs, steps, Releases, promotions and incidents. */
const phases: Record<string, [state: State, words: string]> = {
  Pending: ['idle', 'Not started'],
  Running: ['working', 'Running'],
  WaitingForPerson: ['waiting', 'Waiting for a person'],
  NeedsGuidance: ['waiting', 'Needs guidance'],
  Waiting: ['waiting', 'Waiting'],
  WaitingForApproval: ['waiting', 'Waiting for approval'],
  Succeeded: ['done', 'Succeeded'],
  Failed: ['failed', 'Failed'],
  Rejected: ['failed', 'Rejected'],
  Skipped: ['idle', 'Skipped'],
  Cancelled: ['idle', 'Cancelled'],
  Superseded: ['idle', 'Superseded'],
  Building: ['working', 'Building'],
  Tagging: ['working', 'Tagging'],
  Promoting: ['working', 'Promoting'],
  Deploying: ['working', 'Deploying'],
  Healthy: ['working', 'Healthy'],
  Verifying: ['working', 'Verifying'],
  Verified: ['done', 'Verified'],
  Open: ['failed', 'Open'],
  Acknowledged: ['working', 'Acknowledged'],
  Resolved: ['done', 'Resolved'],
};

export const toState = (phase: string): State => phases[phase]?.[0] ?? 'idle';
export const toWords = (phase: string): string => phases[phase]?.[1] ?? phase;

const colours: Record<string, State> = {
  green: 'done',
  blue: 'working',
  amber: 'waiting',
  red: 'failed',
  grey: 'idle',
};
export const toStageState = (colour: string): State => colours[colour] ?? 'idle';
