/** What an agent does in one step: so many turns, each with that much said, and a commit in each where it writes. */
export type Conversation = { turns: number; kilobytes: number; writes: boolean };

export const titleOf = ({ turns, kilobytes, writes }: Conversation): string =>
  `Take ${turns} turns of ${kilobytes} kB ${writes ? 'with a commit each' : 'and change nothing'}`;
