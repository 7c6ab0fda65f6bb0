import { serve } from '@hono/node-server';
import { startApi } from '../support/start-api.ts';
import { openClusterStore } from '../cluster/open-cluster-store.ts';

/** One replica of the API over a cluster's store, on a port of its own that it says. */
const [kubeconfig = ''] = process.argv.slice(2);
const store = await openClusterStore({ kubeconfig });
const { app } = await startApi({ store, whenDone: () => {} });
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => process.stdout.write(`${port}\n`));
