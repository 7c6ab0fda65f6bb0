import { expect, it } from 'vitest';
import { AgentWorkflowRunKind } from '../../../src/rules/changes/kinds.ts';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { openUi, read, signIn } from './open-ui.ts';
import { headSha, seedShop } from './ui-fixture.ts';

describeWithChromium('a decision in a browser', () => {
  it('shows a new decision without a reload, and approves the commit that it shows', async () => {
    const { page, faults, open, store, updates } = await openUi();
    await seedShop(store);
    await open('/');
    await signIn(page);
    await page.locator('a ::-p-text(Hold the fare)').click();
    await page.waitForSelector('h1:focus');
    expect(await read(page, 'document.activeElement.innerText')).toContain('Hold the fare');
    const approve = await page.waitForSelector(`button ::-p-text(Approve ${headSha.slice(0, 7)})`);
    await approve?.click();
    await expect.poll(() => updates.length, { timeout: 30_000 }).toBe(1);
    expect(updates[0]?.args[0]).toMatchObject({ step: 'approve-change', headSha });
    await store.updateStatus(
      AgentWorkflowRunKind,
      { namespace: 'org-acme', name: 'change-shop-418' },
      ({ status }) => ({
        ...status,
        phase: 'Running' as const,
        steps: (status?.steps ?? []).map((step) =>
          step.name === 'approve-change' ? { name: step.name, phase: 'Succeeded' as const } : step,
        ),
      }),
    );
    await page.waitForFunction("document.querySelector('#decision') === null");
    expect(faults).toEqual([]);
  });
});
