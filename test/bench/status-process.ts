import { serve } from '@hono/node-server';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { seedIncident, seedShop } from '../api/status-page/seed-status.ts';
import { startApi } from '../support/start-api.ts';

/** Starts one API replica with a public status page and reports its port; a message takes its store away for good. */
const store = openSqliteStore({ file: ':memory:' });
const { app } = await startApi({ store, isDocumented: false, onCleanup: () => {} });
await seedShop(store);
for (let index = 0; index < 20; index += 1)
  await seedIncident(store, { name: `incident-${index}`, spec: { severity: 'warning', zone: 'shop-prod' } });
process.once('message', () => void store.close().then(() => process.send?.('closed')));
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => process.send?.(port));
