import { expect, it } from 'vitest';
import { ApiTokenKind, UserKind } from '../../../src/rules/access/kinds.ts';
import { userName } from '../../../src/rules/access/user-name.ts';
import { defaultAgentWorkflows } from '../../../src/rules/agents/default-workflows.ts';
import { AgentWorkflowKind } from '../../../src/rules/agents/kinds.ts';
import { DomainKind } from '../../../src/rules/domains/kinds.ts';
import { systemNamespace } from '../../../src/rules/resource.ts';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { openUi, signIn } from './open-ui.ts';
import { credentials } from './ui-fixture.ts';

/** More than the API returns at once. The page of domains shows that of the platform besides. */
const count = 511;
const namespace = 'org-acme';

describeWithChromium('a long list in a browser', () => {
  it('has all its domains, AgentWorkflows and tokens, the first of them at once', async () => {
    const { page, faults, open, follow, store } = await openUi();
    const { metadata } = await store.get(UserKind, { namespace: systemNamespace, name: userName(credentials.email) });
    for (let index = 0; index < count; index += 1) {
      const domain = `d${index}.test`;
      await store.create(DomainKind, {
        metadata: { namespace, name: domain },
        spec: { name: domain, kind: 'external', shared: false, token: 'r7Kp2vLw9Zd0' },
      });
      await store.create(AgentWorkflowKind, {
        metadata: { namespace, name: `workflow-${index}` },
        spec: defaultAgentWorkflows.change,
      });
      await store.create(ApiTokenKind, {
        metadata: { namespace: systemNamespace, name: `token-${index}` },
        spec: { use: 'token', user: metadata.name, userUid: metadata.uid, label: `CI ${index}` },
      });
    }
    await open('/acme/domains');
    await signIn(page);
    await page.waitForSelector('main button ::-p-text(more of 51)');
    for (const path of ['/acme/settings/workflows', '/settings/tokens']) {
      await follow(path);
      await page.waitForSelector('main button ::-p-text(more of 51)');
    }
    expect(faults).toEqual([]);
  });
});
