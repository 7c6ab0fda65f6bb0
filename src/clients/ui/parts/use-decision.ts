import type { Change } from '../api/types.ts';
import { formatDecision, type Decided } from './decided-notice.tsx';
import { useFrozenValue } from './use-frozen-value.ts';

type Card = {
  isWaiting: boolean;
  /** The beginning of the wait: a later wait of the same subject is another decision. */
  since: string | undefined;
  /** The last decision, which was made before the wait if it still waits. */
  made: Decided | undefined;
  sending: { isSuccess: boolean; variables?: { since: string | undefined } | undefined };
  /** The action of the view by the name of its operation. */
  findAction: (operation: string) => Change['actions'][number] | undefined;
  words: { sent: string; over: string };
  /** Why it cannot be decided here, although it waits. */
  obstacle?: string | undefined;
};

/**
 * A card on which people decide stays after the decision, wherever it was made: its buttons say who decided, and no line
 * is added that would move the page below it.
 */
export function useDecision(
  mainOperation: string,
  { isWaiting, since, made, sending, findAction, words, obstacle }: Card,
): { decision: Decided | undefined; toWhy: (operation: string) => string | undefined; line: string | undefined } {
  const decision = isWaiting ? undefined : made;
  const toWhy = (operation: string): string | undefined => {
    if (decision) return `${formatDecision(decision, 'it')}.`;
    if (obstacle !== undefined) return obstacle;
    if (sending.isSuccess && sending.variables?.since === since) return words.sent;
    const action = findAction(operation);
    return action?.allowed === true ? undefined : (action?.message ?? words.over);
  };
  const why = toWhy(mainOperation);
  const hadLine = useFrozenValue(why !== undefined, isWaiting);
  return { decision, toWhy, line: hadLine || !decision ? why : undefined };
}
