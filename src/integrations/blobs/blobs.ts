/** Stores large data such as transcripts, videos and backups. Keys are paths such as `runs/<uid>/implement/0001`. */
export type Blobs = {
  /** Durable and atomic: a reader sees the old bytes or the new ones. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  find(key: string): Promise<Uint8Array | undefined>;
  /** Lists the keys with the prefix, sorted, without objects whose name is no key: others have put them there. */
  list(prefix: string): Promise<string[]>;
  /** Deletes the blobs with the prefix; with `writtenBefore`, only those that were written last before that time. */
  deletePrefix(prefix: string, options?: { writtenBefore?: Date }): Promise<void>;
};
