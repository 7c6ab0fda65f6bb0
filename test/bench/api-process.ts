import { serve } from '@hono/node-server';
import { startApi } from '../support/start-api.ts';
import { openClusterStore } from '../cluster/open-cluster-store.ts';

/** Starts one API replica over a cluster's store and prints its port. */
const [kubeconfig = ''] = process.argv.slice(2);
const store = await openClusterStore({ kubeconfig });
const { app } = await startApi({ store, onCleanup: () => {} });
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => process.stdout.write(`${port}\n`));
