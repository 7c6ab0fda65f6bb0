/** A check that has run for a commit; several checks may have the same name. */
export type CheckResult = { name: string; state: 'passed' | 'pending' | 'failed' };
export type ReviewDecision = 'not-required' | 'approved' | 'required' | 'changes-requested';

/** The requirements of a protected branch that a pull request does not meet yet. */
export type MergeBlockers = {
  message: string;
  /** False when all of them are checks that are still running. */
  needsPerson: boolean;
};

export function findMergeBlockers({
  requiredChecks,
  results,
  review,
}: {
  requiredChecks: string[];
  results: CheckResult[];
  review: ReviewDecision;
}): MergeBlockers | undefined {
  const checks = [...new Set(requiredChecks)].flatMap((name) => {
    const state = combineResults(results.filter((result) => result.name === name));
    return state === 'passed' ? [] : [{ name, state }];
  });
  const messages = checks.map(({ name, state }) => `The required check "${name}" ${checkTexts[state]}.`);
  const reviewText = reviewTexts[review];
  if (reviewText) messages.push(reviewText);
  if (messages.length === 0) return undefined;
  const needsPerson = reviewText !== undefined || checks.some(({ state }) => state === 'failed');
  return { message: messages.join(' '), needsPerson };
}

const checkTexts = { missing: 'has not started', pending: 'is running', failed: 'has failed' };
const reviewTexts: Partial<Record<ReviewDecision, string>> = {
  required: 'An approving review on the code host is required.',
  'changes-requested': 'A reviewer on the code host requested changes.',
};

function combineResults(results: CheckResult[]): CheckResult['state'] | 'missing' {
  const states = results.map(({ state }) => state);
  if (states.length === 0) return 'missing';
  if (states.includes('failed')) return 'failed';
  return states.includes('pending') ? 'pending' : 'passed';
}
