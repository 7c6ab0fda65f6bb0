import type { KeyObject } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { onTestFinished } from 'vitest';
import { defined } from '../../../src/defined.ts';
import { ConfigMapKind } from '../../../src/kinds/kubernetes.ts';
import { userName } from '../../../src/rules/access/user-name.ts';
import { AccessGroupKind } from '../../../src/rules/access/kinds.ts';
import type { OrgRole } from '../../../src/rules/access/roles.ts';
import { reservePort } from '../../support/servers/reserve-ports.ts';
import { startHttpServer } from '../../../src/main/process/start-http-server.ts';
import { openUi } from '../../../src/main/ui/open-ui.ts';
import type { Store } from '../../../src/store/store.ts';
import { openMemoryStore } from '../../support/open-test-store.ts';
import { type ApiHarness, startApi } from '../../support/start-api.ts';
import { captureStarts } from '../../support/workflows/capture-starts.ts';
import { captureUpdates } from '../../support/workflows/capture-updates.ts';
import { sloMonitoring } from './slo-monitoring.ts';

export const credentials = { email: 'priya@example.com', password: 'a long enough password' };
/** The root user of the installation, with the password of `credentials`. */
export const rootEmail = 'root@example.com';
const namespace = 'org-acme';

export type UiOptions = {
  role?: OrgRole;
  /** Whether there are people; without them, the UI leads to its setup page. */
  isSetUp?: boolean;
  /** The code host, as browsers reach it. */
  codehost?: string;
  /** The vendor's keys that verify the license. */
  licenseKeys?: readonly KeyObject[];
  /** Creates the client of the workflow server; by default one that records updates. */
  createTemporal?: (store: Store) => Client;
} & Pick<
  NonNullable<Parameters<typeof startApi>[0]>,
  | 'codehostApiUrl'
  | 'isWithoutModel'
  | 'onCleanup'
  | 'telemetry'
  | 'monitoring'
  | 'isDocumented'
  | 'judged'
  | 'judge'
  | 'cloudEndpoints'
>;

/** Serves the API and the built UI, with the person "priya", who by default is a member of the org "acme". */
export async function startUi({
  role = 'member',
  isSetUp = true,
  codehost,
  licenseKeys,
  onCleanup = onTestFinished,
  createTemporal,
  codehostApiUrl,
  isWithoutModel,
  telemetry,
  monitoring = sloMonitoring,
  isDocumented,
  judged,
  judge,
  cloudEndpoints,
}: UiOptions = {}) {
  const ui = await openUi(() => {});
  if (!ui) throw new Error('The UI does not build; see "node src/main/ui/bundle-ui.ts".');
  const port = await reservePort();
  const url = `http://localhost:${port}`;
  const { temporal: recorder, updates, signals } = captureUpdates();
  const { temporal: starting, starts } = captureStarts();
  Object.assign(recorder.workflow, { start: starting.workflow.start });
  const memory = openMemoryStore();
  onCleanup(async () => await memory.close());
  const { app, store, request, blobs, backups } = await startApi({
    ...defined({ codehostApiUrl, isWithoutModel, telemetry, isDocumented, judged, judge, cloudEndpoints }),
    config: { publicUrl: url, ...defined({ codehostUrl: codehost, licenseKeys }) },
    store: memory,
    monitoring,
    temporal: createTemporal?.(memory) ?? recorder,
    ui,
    onCleanup,
  });
  if (isSetUp) await addPeople({ store, request }, role);
  const server = await startHttpServer(app, { port, host: '127.0.0.1' });
  onCleanup(async () => await server.stop(0));
  return { url, app, store, blobs, backups, request, updates, signals, starts };
}

async function addPeople({ store, request }: Pick<ApiHarness, 'store' | 'request'>, role: OrgRole): Promise<void> {
  await request('/v1/access/users', { method: 'POST', via: 'session', body: credentials });
  const root = { ...credentials, email: rootEmail };
  const data = { user: userName(root.email) };
  await store.create(ConfigMapKind, { metadata: { namespace: 'service-system', name: 'root-user' }, data });
  await request('/v1/access/users', { method: 'POST', via: 'session', body: root });
  await store.create(AccessGroupKind, {
    metadata: { namespace, name: 'team' },
    spec: { name: 'team', role, members: [credentials.email] },
  });
}
