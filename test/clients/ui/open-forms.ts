import type { Page } from 'puppeteer-core';
import { onTestFinished } from 'vitest';
import { saveModelProvider } from '../../../api/agents/model-provider.ts';
import { ensureInstallation } from '../../../src/reconcile/ensure-installation.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { startModel } from '../../../src/emulators/model/start-model.ts';
import { createFolder } from '../../emulators/codehost/codehost-fixture.ts';
import { buildDomainSettings } from '../../support/start-api.ts';
import { createTestDispatcher } from '../../support/servers/test-dispatcher.ts';
import { signIn } from './open-ui.ts';
import { addIdentityProvider, makePlatformAdmin, seedSettings } from './settings-fixture.ts';
import { seedBackups } from './seed-backups.ts';
import { openZoneUi } from './zone-fixture.ts';

/** A Product with one repo has no choice of a repo. */
async function addRepo({ store, shop: { codehost } }: Awaited<ReturnType<typeof openZoneUi>>): Promise<void> {
  await codehost.seedRepository('acme/site', await createFolder());
  const product = await store.get(ProductKind, { namespace: 'org-acme', name: 'shop' });
  await store.replace(ProductKind, { ...product, spec: { ...product.spec, repos: ['acme/shop', 'acme/site'] } });
}

/** Opens the UI as a person who may change everything, with all that forms edit. */
export async function openForms() {
  const ui = await openZoneUi({ judged: createTestDispatcher('127.0.0.1') });
  await seedSettings(ui.store);
  await seedBackups(ui);
  await addRepo(ui);
  await addIdentityProvider(ui.store);
  await makePlatformAdmin(ui.store);
  await ensureInstallation(ui.store, { domains: buildDomainSettings(), passwordSignIn: 'everyone' });
  const model = await startModel({ port: 0 });
  onTestFinished(async () => await model.close());
  const provider = { kind: 'openai-compatible' as const, baseUrl: model.url, model: 'scripted', apiKey: 'first' };
  await saveModelProvider(ui.store, { org: 'acme', provider, before: undefined });
  await ui.open('/signin');
  await signIn(ui.page);
  /** Opens a tab of its own, because a page does not let go of what was typed. */
  const openForm = async (path: string, script = ''): Promise<Page> => {
    const page = await ui.page.browserContext().newPage();
    await page.setViewport({ width: 1440, height: 900 });
    await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }]);
    await page.evaluateOnNewDocument(script);
    await page.goto(ui.url + path, { waitUntil: 'domcontentloaded' });
    await page.waitForSelector('h1');
    return page;
  };
  return { ...ui, openForm, provider };
}
