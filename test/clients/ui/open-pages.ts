import { startShopFixture } from '../../emulators/codehost/codehost-fixture.ts';
import { connectCodehost, seedChangePages } from './change-fixture.ts';
import { openUi } from './open-ui.ts';
import { makePlatformAdmin, seedSettings } from './settings-fixture.ts';
import { seedBackups } from './seed-backups.ts';
import { seedIncidents } from './seed-incidents.ts';
import { seedShop } from './seed-shop.ts';
import { rootEmail } from './ui-fixture.ts';

/**
 * Opens the UI with all that the pages of the table show, and this many issues on the board. The person of the UI
 * administers it, like its root user.
 */
export async function openPages({ issues = 0, platformAdmin = true } = {}) {
  const shop = await startShopFixture();
  for (let number = 1; number <= issues; number += 1)
    await shop.octokit.request('POST /repos/{owner}/{repo}/issues', { ...shop.repo, title: `Issue ${number}` });
  // The org has no model provider whose models could be listed.
  const ui = await openUi({ codehostApiUrl: shop.codehost.apiUrl, expected: [/\/models/] });
  await seedShop(ui.store);
  await seedIncidents(ui.store);
  await connectCodehost(ui.store, shop);
  await seedChangePages(ui.store, shop);
  await seedSettings(ui.store);
  await seedBackups(ui);
  await makePlatformAdmin(ui.store, rootEmail);
  if (platformAdmin) await makePlatformAdmin(ui.store);
  return { ...ui, codehost: shop.codehost };
}
