import { toDecidedState, formatDecision, type Decided } from './decided-notice.tsx';
import { Mark } from './state.tsx';
import { Time } from './time.tsx';
import { toWaitedFor } from './waited-for.ts';

type Props = {
  id: string;
  title: string;
  /** The subject of the decision: its words follow "approved" or "rejected". */
  what: string;
  waitingFor: { role: string; since: string } | undefined;
  decision?: Decided | undefined;
};

/** The head of a decision: since when it waits and for whom, or who made it. */
export const DecisionHead = ({ id, title, what, waitingFor, decision }: Props) => {
  const state = waitingFor ? 'waiting' : decision ? toDecidedState(decision) : 'idle';
  return (
    <header data-state={state}>
      <Mark state={state} large />
      <h2 id={id}>{title}</h2>
      {waitingFor ? (
        <span className="push">
          Waiting for {toWaitedFor(waitingFor.role)} since <Time at={waitingFor.since} />
        </span>
      ) : (
        decision && (
          <span className="push">
            {formatDecision(decision, what)} at <Time at={decision.at} />
          </span>
        )
      )}
    </header>
  );
};
