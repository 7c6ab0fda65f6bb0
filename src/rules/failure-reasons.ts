/**
 * The machine-readable reasons of failures of steps, runs, Releases and zones, and of verdicts that ask a person.
 * Clients branch on them; messages may change.
 */
export const failureReasons = [
  'activity-failed',
  'agent-role-missing',
  'archive-refused',
  'branch-guarded',
  'build-failed',
  'cancelled',
  'cost-limit-reached',
  'fork-not-writable',
  'merge-attempts-exhausted',
  'merge-blocked',
  'merge-conflict',
  'merge-refused',
  'model-price-unknown',
  'org-budget-exhausted',
  'promotion-failed',
  'promotion-refused',
  'pull-request-closed',
  'rejected',
  'repo-exists',
  'restore-conflict',
  'run-budget-exhausted',
  'smoke-check-failed',
  'target-not-found',
  'time-limit-reached',
  'token-limit-reached',
  'turn-limit-reached',
  'unreviewed-commits',
  'zone-unhealthy',
] as const;
export type FailureReason = (typeof failureReasons)[number];
