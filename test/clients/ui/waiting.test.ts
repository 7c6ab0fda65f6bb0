import { expect, it } from 'vitest';
import { AgentWorkflowRunKind } from '../../../src/rules/changes/kinds.ts';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { openUi, signIn } from './open-ui.ts';
import { credentials } from './ui-fixture.ts';

describeWithChromium('the start page in a browser', () => {
  it('shows a Change of the person that is older than a page of those of others', async () => {
    const { page, faults, open, store } = await openUi();
    const create = async (name: string, startedBy: string): Promise<unknown> =>
      await store.create(AgentWorkflowRunKind, {
        metadata: { namespace: 'org-acme', name },
        spec: { agentWorkflow: 'change', product: 'shop', startedBy, steps: [], roles: {} },
      });
    const own = 'section[aria-labelledby=going-on] a[href="/acme/changes/change-shop-1"]';
    await create('change-shop-1', credentials.email);
    await open('/');
    await signIn(page);
    await page.waitForSelector(own);
    for (let number = 2; number <= 52; number += 1) await create(`change-shop-${number}`, 'jo@example.com');
    await open('/');
    await page.waitForSelector(own);
    expect(faults).toEqual([]);
  });
});
