/** A request to a zone with its time and outcome. The outcome is unknown when the response was lost. */
export type ZoneRequest = {
  operation: 'enqueue' | 'promote' | 'freeze' | 'unfreeze' | 'remove' | 'add';
  /** The number of the version, or 0 for operations without one. */
  version: number;
  from: number;
  to: number;
  outcome: 'done' | 'rejected' | 'unknown';
};

/** The externally visible state of a zone; 0 means no version. */
export type ZoneOutcome = { listed: boolean; running: number; waits: number; hold: number; frozen: boolean };

type SimulatedZone = ZoneOutcome & { newest: number; queue: number[] };
const emptyZone = { running: 0, waits: 0, hold: 0, frozen: false, newest: 0, queue: [] };

/** Simulates requests that run one after the other, with promotions that take no time. */
function applyRequest(state: SimulatedZone, { operation, version }: ZoneRequest): SimulatedZone {
  if (operation === 'add') return { ...state, listed: true };
  if (operation === 'remove') return { ...emptyZone, listed: false };
  if (operation === 'enqueue') return { ...state, queue: [...state.queue, version] };
  if (operation !== 'promote') return { ...state, frozen: operation === 'freeze' };
  const known = Math.max(state.running, state.newest, ...state.queue);
  return {
    ...state,
    running: version,
    newest: Math.max(state.newest, version),
    hold: version < known ? version : 0,
    queue: state.queue.filter((one) => one !== version),
  };
}

function promoteQueued(state: SimulatedZone): SimulatedZone {
  const newest = Math.max(0, ...state.queue);
  if (newest === 0) return state;
  if (!state.listed || newest < state.running) return { ...state, queue: [] };
  if (state.hold > 0 || state.frozen) return { ...state, queue: [newest], waits: newest };
  return { ...state, queue: [], waits: 0, running: newest, newest: Math.max(state.newest, newest) };
}

const toOutcome = ({ listed, running, hold, frozen, queue }: SimulatedZone): ZoneOutcome => ({
  listed,
  running,
  waits: queue[0] ?? 0,
  hold,
  frozen,
});

/** Lists the outcomes of every order of the requests that respects their times. */
export function listPossibleOutcomes(requests: readonly ZoneRequest[]): ZoneOutcome[] {
  const effective = requests.filter(({ outcome }) => outcome !== 'rejected');
  const first: SimulatedZone = { ...emptyZone, listed: true };
  let states = new Map([[JSON.stringify([0, first]), { done: 0, state: first }]]);
  const outcomes = new Map<string, ZoneOutcome>();
  while (states.size > 0) {
    const next: typeof states = new Map();
    for (const { done, state } of states.values()) {
      const remaining = effective.filter((_, index) => (done & (1 << index)) === 0);
      if (remaining.length === 0) {
        const outcome = toOutcome(promoteQueued(state));
        outcomes.set(JSON.stringify(outcome), outcome);
      }
      for (const request of remaining.filter(({ from }) => remaining.every(({ to }) => from <= to))) {
        const nextDone = done | (1 << effective.indexOf(request));
        // A Release that is enqueued again during its own promotion has no effect.
        const isRunning = request.operation === 'enqueue' && request.version === state.running;
        const applied = applyRequest(state, request);
        const effects = request.outcome === 'unknown' || isRunning ? [applied, state] : [applied];
        // Queued promotions run before the next request or later.
        for (const effect of effects.flatMap((each) => [each, promoteQueued(each)]))
          next.set(JSON.stringify([nextDone, effect]), { done: nextDone, state: effect });
      }
    }
    states = next;
  }
  return [...outcomes.values()];
}
