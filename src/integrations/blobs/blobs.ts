/** What no config object can hold (transcripts, videos, backups); keys are paths such as `runs/<uid>/implement/0001`. */
export type Blobs = {
  /** Durable and whole when it resolves: a reader sees the old bytes or the new ones. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  find(key: string): Promise<Uint8Array | undefined>;
  /** Keys with that prefix, in order. */
  list(prefix: string): Promise<string[]>;
  deleteAll(prefix: string): Promise<void>;
};
