import { randomBytes } from 'node:crypto';
import { createInterface } from 'node:readline';
import { tokenName } from '../../api/auth/authenticate.ts';
import { loadConfig } from '../../src/config.ts';
import { startHttpServer } from '../../src/main/process/start-http-server.ts';
import { AccessGroupKind, ApiTokenKind, UserKind } from '../../src/rules/access/kinds.ts';
import { createToken } from '../../src/rules/access/token.ts';
import { AgentWorkflowRunKind } from '../../src/rules/changes/kinds.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { startApi } from '../support/start-api.ts';
import { seedRuns } from './seed-runs.ts';

/** Starts an API process with an org of people, and prints their tokens; each line of the input changes a run. */
const [file = '', port = '', people = '0'] = process.argv.slice(2);
const store = openSqliteStore({ file });
const namespace = 'org-acme';
await seedRuns(store, { namespace, count: 20, logProgress: () => {} });
const { items: runs } = await store.list(AgentWorkflowRunKind, { namespace });
const groupSize = 200;
const tokens: string[] = [];
for (let first = 0; first < Number(people); first += groupSize) {
  const members = Array.from({ length: groupSize }, (_, index) => `person-${first + index}@example.com`);
  const name = `group-${first}`;
  await store.create(AccessGroupKind, { metadata: { namespace, name }, spec: { name, role: 'member', members } });
  for (const email of members) tokens.push(await createPerson(email));
}
const { app } = await startApi({
  store,
  config: { quotas: { ...loadConfig({}).quotas, requestsPerUserPerMinute: 1_000_000 } },
  isDocumented: false,
  onCleanup: () => {},
});
await startHttpServer(app, { port: Number(port), host: '127.0.0.1' });
process.stdout.write(`${JSON.stringify(tokens)}\n`);

let changes = 0;
for await (const line of createInterface({ input: process.stdin })) {
  if (line !== 'change') continue;
  changes += 1;
  const run = runs[changes % runs.length];
  const branch = `change-${changes}`;
  process.stdout.write(`${performance.timeOrigin + performance.now()}\n`);
  if (run)
    await store.updateStatus(AgentWorkflowRunKind, run.metadata, ({ status }) => status && { ...status, branch });
}

async function createPerson(email: string): Promise<string> {
  const user = email.replace('@', '-at-');
  const spec = { email, platformAdmin: false };
  const { metadata } = await store.create(UserKind, { metadata: { namespace: systemNamespace, name: user }, spec });
  const token = createToken(randomBytes(32));
  await store.create(ApiTokenKind, {
    metadata: { namespace: systemNamespace, name: tokenName(token) },
    spec: { use: 'token', user, userUid: metadata.uid, label: 'bench' },
  });
  return token;
}
