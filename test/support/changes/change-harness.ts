import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { createAgentActivities } from '../../../activities/agents/agent-activities.ts';
import { createChangeActivities } from '../../../activities/changes/change-activities.ts';
import { directoryBlobs } from '../../../src/integrations/blobs/directory.ts';
import { octokitCodehost } from '../../../src/integrations/codehost/octokit.ts';
import { createModels } from '../../../src/integrations/models/create-models.ts';
import { type Scenario, finish, runCommand as command, turn } from '../../../src/emulators/model/scenario.ts';
import { startCodehost } from '../../../src/emulators/codehost/start-codehost.ts';
import { startModel } from '../../../src/emulators/model/start-model.ts';
import { findCodehostCredentials } from '../../../src/main/wiring/find-codehost-credentials.ts';
import { listModelPrices, findModelProvider } from '../../../src/main/wiring/model-settings.ts';
import { defaultRoles } from '../../../src/rules/agents/default-workflows.ts';
import { AgentRoleKind, AgentWorkflowKind, type StepSpec } from '../../../src/rules/agents/kinds.ts';
import { OrganizationKind } from '../../../src/rules/orgs/kinds.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import type { RunTarget } from '../../../src/rules/changes/kinds.ts';
import { SecretKind } from '../../../src/kinds/kubernetes.ts';
import { orgNamespace, systemNamespace } from '../../../src/rules/resource.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import { runAgentWorkflowStart, type RunAgentWorkflowInput } from '../../../workflows/changes/messages.ts';
import { registerApp } from '../../emulators/codehost/codehost-fixture.ts';
import { createGitUser, createSeedFolder } from './git-user.ts';
import { createChangeDriver } from './change-driver.ts';
import { defaultAgentWorkflows } from '../../../src/rules/agents/default-workflows.ts';
import { type InterceptingProxy, startInterceptingProxy } from '../servers/intercepting-proxy.ts';
import { createTestDispatcher } from '../servers/test-dispatcher.ts';
import { createTestSandbox } from '../test-sandbox.ts';
import { trustingJudge } from '../trusting-judge.ts';
import { startWorkflowHarness, replayHistories } from '../workflows/workflow-harness.ts';

const removeConflictMarkers = `for file in $(grep -rlE '^<{7} ' .); do sed -i -E "/^(<{7} |={7}$|>{7} )/d" "$file"; done`;
/** A conflict resolver that keeps the changes of both sides. */
export const keepBothSides = [turn('I keep both.', command(removeConflictMarkers)), finish('done', 'Both are kept.')];

export type ChangeHarness = Awaited<ReturnType<typeof startChangeHarness>>;

/**
 * Runs Changes on the code host emulator, Temporal, the sandbox and a scripted model. An intercepting proxy runs in
 * front of the code host and of the model. The Release of a merge is a fake that ends at once.
 */
export async function startChangeHarness(scenarios: Scenario[]) {
  const folder = await mkdtemp(join(tmpdir(), 'changes-'));
  const host = await startCodehost({ dataDir: join(folder, 'codehost'), port: 0 });
  await host.seedRepository('acme/none', await createSeedFolder(folder, {}));
  const [codehostGate, model] = await Promise.all([
    startInterceptingProxy(host.url),
    startModel({ port: 0, scenarios }),
  ]);
  const modelGate = await startInterceptingProxy(new URL(model.url).origin);
  const store = openSqliteStore({ file: join(folder, 'store.db') });
  const blobs = directoryBlobs(join(folder, 'blobs'));
  const codehost = octokitCodehost({
    apiUrl: `${codehostGate.url}/api/v3`,
    findCredentials: findCodehostCredentials(store),
    throttle: false,
  });
  const defaultProvider = { kind: 'openai-compatible' as const, baseUrl: `${modelGate.url}/v1`, model: 'scripted' };
  const activities = {
    ...createAgentActivities({
      store,
      codehost,
      blobs,
      sandbox: createTestSandbox(),
      checkoutsDir: join(folder, 'checkouts'),
      models: createModels({
        findProvider: findModelProvider(store),
        listPrices: listModelPrices(store),
        judged: createTestDispatcher(),
        defaultProvider,
      }),
    }),
    ...createChangeActivities({ store, codehost, blobs, decisions: trustingJudge, now: () => new Date() }),
    openRelease: async () => ({ release: 'r-v0.1.0', version: 'v0.1.0', uid: 'u1', zones: [] }),
    recordRelease: async () => {},
    buildImage: async () => ({ outcome: 'built' as const, digest: 'sha256:1' }),
    tagRelease: async () => ({ url: 'http://host/releases/v0.1.0' }),
  };
  const world = await startWorkflowHarness({ address: inject('temporalAddress') ?? '', activities });
  const org = world.taskQueue;
  const { app } = await registerApp({ ...host });
  const namespace = orgNamespace(org);
  const encoded = (text: string): string => Buffer.from(text).toString('base64');
  await store.create(OrganizationKind, {
    metadata: { namespace: systemNamespace, name: org },
    spec: { codehostAccount: 'acme', gitopsRepo: 'acme/gitops' },
  });
  await store.create(SecretKind, {
    metadata: { namespace, name: 'codehost-app' },
    type: 'Opaque',
    data: { 'app-id': encoded(String(app.id)), 'private-key': encoded(app.pem) },
  });
  for (const [name, spec] of Object.entries(defaultRoles))
    await store.create(AgentRoleKind, { metadata: { namespace, name }, spec });

  /** Creates a Product whose repo has the given files, and the AgentWorkflow of its Changes. */
  const aProduct = async (
    name: string,
    files: Record<string, string>,
    own: StepSpec[] = defaultAgentWorkflows['quick-change'].steps,
  ) => {
    const repo = `acme/${name}`;
    await host.seedRepository(repo, await createSeedFolder(folder, files));
    await store.create(ProductKind, {
      metadata: { namespace, name },
      spec: { repos: [repo], delivery: { zones: [{ name: `${name}-prod`, promotionPolicy: 'automatic' }] } },
    });
    await store.create(AgentWorkflowKind, {
      metadata: { namespace, name },
      spec: { enabled: true, triggers: [], steps: own },
    });
    const rest = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
      const response = await fetch(`${host.apiUrl}/repos/${repo}${path}`, {
        method,
        headers: { authorization: `token ${host.userToken}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
      return (await response.json()) as T;
    };
    return {
      repo,
      rest,
      person: await createGitUser(folder, host, repo),
      change: async (target?: RunTarget) => {
        const { number } = target ?? (await rest<{ number: number }>('POST', '/issues', { title: 'Greet the moon' }));
        const input: RunAgentWorkflowInput = {
          org,
          agentWorkflow: name,
          product: name,
          target: target ?? { repo, number },
          startedBy: 'ada',
          intervals: { pollIntervalMs: 20 },
        };
        await world.start(runAgentWorkflowStart(input));
        return createChangeDriver({ world, store, input });
      },
    };
  };

  return {
    aProduct,
    /** Lists the Products of the started Releases. */
    releases: () => world.callInputs('openRelease').map(({ product }) => product),
    codehost: codehostGate satisfies InterceptingProxy,
    model: modelGate satisfies InterceptingProxy,
    async close() {
      try {
        await replayHistories(await world.fetchHistories());
      } finally {
        await world.close();
        await Promise.all([codehostGate.close(), modelGate.close(), model.close()]);
        await host.close();
        await store.close();
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}
