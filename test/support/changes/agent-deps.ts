import { join } from 'node:path';
import type { AgentDeps } from '../../../activities/agents/agent-activities.ts';
import { directoryBlobs } from '../../../src/integrations/blobs/directory.ts';
import type { OrgCodehost } from '../../../src/integrations/codehost/codehost.ts';
import { createModels } from '../../../src/integrations/models/create-models.ts';
import { listModelPrices, findModelProvider } from '../../../src/main/wiring/model-settings.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import { createTestDispatcher } from '../servers/test-dispatcher.ts';
import { createTestSandbox } from '../test-sandbox.ts';
import { runGit } from '../run-git.ts';

export type IssueText = { title: string; body?: string };

/** Creates the dependencies of a turn in one folder: a bare repo as code host, a store, blobs and checkouts. */
export function createAgentDeps(
  folder: string,
  { modelUrl, issue }: { modelUrl: string; issue: IssueText },
): AgentDeps {
  const bare = join(folder, 'hello.git');
  const store = openSqliteStore({ file: join(folder, 'store.db') });
  const host: Pick<OrgCodehost, 'getGitRemote' | 'getIssue' | 'getRepository' | 'findBranchHead' | 'getBranchFacts'> = {
    getGitRemote: async () => ({ url: bare, authorization: 'Basic c2VjcmV0OnNlY3JldA==' }),
    getRepository: async () => ({ defaultBranch: 'main', cloneUrl: bare, private: true }),
    findBranchHead: async (_, branch) => {
      const head = await runGit(bare, 'for-each-ref', '--format=%(objectname)', `refs/heads/${branch}`);
      return head || undefined;
    },
    getBranchFacts: async (_, branch) => ({ isDefault: branch === 'main', isProtected: false, pullRequestsInto: [] }),
    getIssue: async (_, number) => ({
      number,
      title: issue.title,
      body: issue.body ?? '',
      url: 'http://localhost/7',
      state: 'open',
      labels: ['service'],
      author: 'ada',
      authorIsBot: false,
      isPullRequest: false,
      createdAt: '2026-01-01T00:00:00Z',
      updatedAt: '2026-01-01T00:00:00Z',
    }),
  };
  const defaultProvider = {
    kind: 'openai-compatible' as const,
    baseUrl: modelUrl,
    model: 'scripted',
    apiKey: 'sk-test-key',
  };
  return {
    store,
    codehost: { forOrg: async () => host as OrgCodehost },
    sandbox: createTestSandbox(),
    checkoutsDir: join(folder, 'checkouts'),
    blobs: directoryBlobs(join(folder, 'blobs')),
    models: createModels({
      findProvider: findModelProvider(store),
      listPrices: listModelPrices(store),
      judged: createTestDispatcher(),
      defaultProvider,
    }),
  };
}
