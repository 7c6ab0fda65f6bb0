import { afterAll, beforeAll, describe } from 'vitest';
import type { Store } from '../../src/store/store.ts';
import { describeDeleting } from './store/deleting.ts';
import { describeListing } from './store/listing.ts';
import type { StoreHarness } from './store/probe.ts';
import { describeWatching } from './store/watching.ts';
import { describeWriting } from './store/writing.ts';

/** A store under test, with the `Probe` kind of ./store/probe.ts installed. */
export type OpenedStore = {
  store: Store;
  /** Opens another store on the same data, as after a restart. */
  reopen?: () => Promise<Store>;
  close(): Promise<void>;
};

/** Tests the contract of src/store/store.ts. Each test uses its own namespaces, so the tests can share one server. */
export function describeStoreContract(name: string, open: () => Promise<OpenedStore>): void {
  describe(`${name} store`, () => {
    let opened: OpenedStore | undefined;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(async () => {
      await opened?.close();
    });

    const harness: StoreHarness = {
      getOpened: () => {
        if (!opened) throw new Error('The store was not opened.');
        return opened;
      },
      createNamespaceName: async () => `org-t${crypto.randomUUID().slice(0, 8)}`,
    };
    describe('writing', () => {
      describeWriting(harness);
    });
    describe('listing', () => {
      describeListing(harness);
    });
    describe('deleting', () => {
      describeDeleting(harness);
    });
    describe('watching', () => {
      describeWatching(harness);
    });
  });
}
