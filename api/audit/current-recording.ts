import { AsyncLocalStorage } from 'node:async_hooks';
import type { Write } from '../../src/rules/audit/describe-change.ts';

/** The record of the change that a request is making. */
export type Recording = {
  /** Makes sure that the entry exists before the first effect. */
  begin: (namespace: string) => Promise<void>;
  note: (write: Write) => void;
};

/** Carries the recording from the boundary of the API to the store, so that no handler passes it on. */
export const currentRecording = new AsyncLocalStorage<Recording>();
