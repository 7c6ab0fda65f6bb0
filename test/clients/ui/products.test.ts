import { expect, it } from 'vitest';
import { AgentWorkflowRunKind } from '../../../src/rules/changes/kinds.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import type { Store } from '../../../src/store/store.ts';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { openUi, read, signIn } from './open-ui.ts';
import { seedShop } from './seed-shop.ts';

const namespace = 'org-acme';

/** Creates a Change of a Product, with the title of its issue. */
async function createChange(store: Store, product: string, title: string): Promise<void> {
  const ref = { namespace, name: title.toLowerCase().replaceAll(' ', '-') };
  await store.create(AgentWorkflowRunKind, {
    metadata: ref,
    spec: { agentWorkflow: 'change', product, startedBy: 'jo@example.com', steps: [], roles: {} },
  });
  await store.updateStatus(AgentWorkflowRunKind, ref, () => ({
    phase: 'Succeeded' as const,
    steps: [],
    issue: { title, url: 'http://localhost:3000/acme/till/issues/1', author: 'jo' },
  }));
}

describeWithChromium('the list of Products in a browser', () => {
  it('shows the last Change of each, however many Changes another Product has had since, and the next one live', async () => {
    const { page, faults, open, store } = await openUi();
    await store.create(ProductKind, {
      metadata: { namespace, name: 'till' },
      spec: { repos: ['acme/till'], delivery: { zones: [] } },
    });
    await createChange(store, 'till', 'Print receipts');
    await seedShop(store);
    for (const index of Array.from({ length: 60 }).keys()) await createChange(store, 'shop', `Sail ${100 + index}`);
    await open('/acme');
    await signIn(page);
    await page.waitForSelector('tbody tr');
    const readLast = async (): Promise<unknown> =>
      await read(page, "[...document.querySelectorAll('tbody td:last-child a')].map((one) => one.innerText)");
    expect(await readLast()).toEqual(['Sail 159', 'Print receipts']);
    await createChange(store, 'till', 'Count coins');
    await expect.poll(readLast).toEqual(['Sail 159', 'Count coins']);
    expect(faults).toEqual([]);
  });
});
