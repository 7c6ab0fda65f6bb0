/** The records of a name as DNS answered. The outcome `unknown` never counts as absent: no server gave a usable answer. */
export type Observation<T> = {
  outcome: 'found' | 'absent' | 'unknown';
  records: T[];
  /** True when a server of the DNS zone answered; the answer of a resolver may be out of date. */
  authoritative: boolean;
  /** The server that answered, and its answer in words. */
  server: string;
  response: string;
  at: string;
  /** The targets of the CNAME records at the name. */
  aliases: string[];
};

export type CaaRecord = { critical: boolean; tag: string; value: string };
