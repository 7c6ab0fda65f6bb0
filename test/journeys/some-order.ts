/** What was asked of a zone, when, and whether it was done; nobody knows of an answer that was lost. */
export type Asked = {
  what: 'arrive' | 'promote' | 'freeze' | 'unfreeze' | 'remove' | 'add';
  /** The number of the version, where it is about one. */
  version: number;
  from: number;
  to: number;
  outcome: 'done' | 'refused' | 'unknown';
};

/** What can be seen of a zone from outside; 0 is no version. */
export type Seen = { listed: boolean; running: number; waits: number; hold: number; frozen: boolean };

type State = Seen & { newest: number; waiting: number[] };
const empty = { running: 0, waits: 0, hold: 0, frozen: false, newest: 0, waiting: [] };

/** The zone as one person would have it who does one thing after the other: whatever may come in is in at once. */
function after(state: State, { what, version }: Asked): State {
  if (what === 'add') return { ...state, listed: true };
  if (what === 'remove') return { ...empty, listed: false };
  if (what === 'arrive') return { ...state, waiting: [...state.waiting, version] };
  if (what !== 'promote') return { ...state, frozen: what === 'freeze' };
  const known = Math.max(state.running, state.newest, ...state.waiting);
  return {
    ...state,
    running: version,
    newest: Math.max(state.newest, version),
    hold: version < known ? version : 0,
    waiting: state.waiting.filter((one) => one !== version),
  };
}

function letIn(state: State): State {
  const newest = Math.max(0, ...state.waiting);
  if (newest === 0) return state;
  if (!state.listed || newest < state.running) return { ...state, waiting: [] };
  if (state.hold > 0 || state.frozen) return { ...state, waiting: [newest], waits: newest };
  return { ...state, waiting: [], waits: 0, running: newest, newest: Math.max(state.newest, newest) };
}

const seenOf = ({ listed, running, hold, frozen, waiting }: State): Seen => ({
  listed,
  running,
  waits: waiting[0] ?? 0,
  hold,
  frozen,
});

/** Every end that some order of the requests leads to, in which none comes before one that was over when it began. */
export function endsOf(asked: readonly Asked[]): Seen[] {
  const told = asked.filter(({ outcome }) => outcome !== 'refused');
  const first: State = { ...empty, listed: true };
  let states = new Map([[JSON.stringify([0, first]), { done: 0, state: first }]]);
  const ends = new Map<string, Seen>();
  while (states.size > 0) {
    const next: typeof states = new Map();
    for (const { done, state } of states.values()) {
      const left = told.filter((_, index) => (done & (1 << index)) === 0);
      if (left.length === 0) {
        const end = seenOf(letIn(state));
        ends.set(JSON.stringify(end), end);
      }
      for (const one of left.filter(({ from }) => left.every(({ to }) => from <= to))) {
        const isDone = done | (1 << told.indexOf(one));
        // A Release that comes again while it is on its way in is that one.
        const isIn = one.what === 'arrive' && one.version === state.running;
        const effects = one.outcome === 'unknown' || isIn ? [after(state, one), state] : [after(state, one)];
        // Those that wait come in before the next thing is asked, or later.
        for (const effect of effects.flatMap((each) => [each, letIn(each)]))
          next.set(JSON.stringify([isDone, effect]), { done: isDone, state: effect });
      }
    }
    states = next;
  }
  return [...ends.values()];
}
