import { largeChange, seedLargeOrg, smallChange, takeTurn } from '../clients/ui/large-org.ts';
import { startUi } from '../clients/ui/ui-fixture.ts';

/** Asks for changes of one step; the answer is the time before the last was written. */
export type TurnRequest = { run: 'large' | 'small'; step: number; turns: number };

/** Serves the UI with a large org in a process of its own, so that the browser is not measured with its driver. */
const { url, store } = await startUi({ isDocumented: false, onCleanup: () => {} });
await seedLargeOrg(store);
process.send?.({ url });

process.on('message', ({ run, step, turns }: TurnRequest) => {
  const writtenAt = performance.timeOrigin + performance.now();
  const name = run === 'large' ? largeChange : smallChange;
  takeTurn(store, name, { step, turns }).then(
    () => process.send?.({ writtenAt }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
process.on('disconnect', () => process.exit());
