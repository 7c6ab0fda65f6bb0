import { afterAll, beforeAll, describe } from 'vitest';
import type { Store } from '../../src/store/store.ts';
import { deletingContract } from './store/deleting.ts';
import { listingContract } from './store/listing.ts';
import type { Harness } from './store/probe.ts';
import { watchingContract } from './store/watching.ts';
import { writingContract } from './store/writing.ts';

/** A store under test, with the `Probe` kind of ./store/probe.ts installed where kinds have to be. */
export type OpenedStore = {
  store: Store;
  /** Another store on the same data, as after a restart. */
  reopen?: () => Promise<Store>;
  close(): Promise<void>;
};

/** What every store promises (src/store/store.ts); each test has namespaces of its own, so a shared server will do. */
export function storeContract(name: string, open: () => Promise<OpenedStore>): void {
  describe(`${name} store`, () => {
    let opened: OpenedStore | undefined;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(async () => {
      await opened?.close();
    });

    const harness: Harness = {
      opened: () => {
        if (!opened) throw new Error('The store was not opened.');
        return opened;
      },
      space: async () => `org-t${crypto.randomUUID().slice(0, 8)}`,
    };
    describe('writing', () => {
      writingContract(harness);
    });
    describe('listing', () => {
      listingContract(harness);
    });
    describe('deleting', () => {
      deletingContract(harness);
    });
    describe('watching', () => {
      watchingContract(harness);
    });
  });
}
