/** An agent's step: the number of turns, the text per turn, and whether each turn makes a commit. */
export type Conversation = { turns: number; kilobytesPerTurn: number; commits: boolean };

export const toIssueTitle = ({ turns, kilobytesPerTurn, commits }: Conversation): string =>
  `Take ${turns} turns of ${kilobytesPerTurn} kB ${commits ? 'with a commit each' : 'and change nothing'}`;
