import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rootUser } from '../../support/platform/test-platform.ts';
import type { Walk } from './first-day.ts';
import { button, inDialog, link } from './hands.ts';

/** Opens the link that the platform prints at its start; its token is gone once the root user exists. */
export async function openPrintedLink({ page, platform }: Walk): Promise<void> {
  const setupToken = (await readFile(join(platform.dataDir, 'setup-token'), 'utf8').catch(() => 'used')).trim();
  await page.goto(`${platform.url}/setup#${setupToken}`);
}

export async function createRootUser(walk: Walk): Promise<void> {
  const { hand, take } = walk;
  await openPrintedLink(walk);
  await hand.fill('input[name=email]', rootUser.email);
  await hand.fill('input[name=password]', rootUser.password);
  await take('root-user');
  await hand.press(button('Create the root user'));
}

export const metricsStep = 'h1 ::-p-text(Are zones measured?)';

/** Continues at a platform that runs Prometheus and Alertmanager. */
export async function checkMetrics({ hand, see, take }: Walk): Promise<void> {
  await see(metricsStep);
  await see('main ::-p-text(Prometheus and Alertmanager answer)');
  await take('metrics');
  await hand.press(button('Continue'));
}

/** Continues at a platform without metrics. */
export async function skipMetrics({ hand, see, take }: Walk): Promise<void> {
  await see(metricsStep);
  await see('main ::-p-text(Prometheus and Alertmanager do not answer)');
  await take('metrics');
  await hand.press(button('Skip'));
}

export async function createOrg({ hand, take }: Walk): Promise<void> {
  await hand.fill('input[name=name]', 'acme');
  await take('org');
  await hand.press(button('Create the org'));
}

/** The embedded code host creates the app at once, so one click is enough. */
export async function connectCodehost({ hand }: Walk): Promise<void> {
  await hand.press(button('Connect the code host'));
  await hand.press('a ::-p-text(Continue the setup)');
}

export async function createProduct({ hand, take }: Walk): Promise<void> {
  await hand.press('a ::-p-text(Create a Product)');
  await hand.choose('#template-node-service');
  await hand.fill('input[name=name]', 'fresh');
  await take('new-product');
  await hand.press(button('Create the Product'));
}

export async function createIssue({ page, hand, take }: Walk): Promise<void> {
  await hand.press(link('Board'));
  await hand.press(button('New issue'));
  await hand.fill('[role=dialog] input', 'Add a changelog');
  await take('issue');
  await page.keyboard.press('Enter');
}

export async function startChange({ hand, take, see }: Walk): Promise<void> {
  await hand.press(inDialog('Start a Change'));
  await see(button('Start the Change'));
  await take('start');
  await hand.press(button('Start the Change'));
}
