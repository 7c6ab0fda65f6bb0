import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { AgentDeps } from '../../activities/agents.ts';
import { directoryBlobs } from '../../src/integrations/blobs/directory.ts';
import type { OrgCodehost } from '../../src/integrations/codehost/codehost.ts';
import { createModels } from '../../src/integrations/models/create-models.ts';
import { modelPricesOf, modelProviderOf } from '../../src/main/model-settings.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { testSandbox } from './test-sandbox.ts';

export type ToldIssue = { title: string; body?: string };

/** What a turn works with, all of it in one folder: a bare repo for a code host, a store, blobs and checkouts. */
export function agentDeps(folder: string, { modelUrl, issue }: { modelUrl: string; issue: ToldIssue }): AgentDeps {
  const bare = join(folder, 'hello.git');
  const store = openSqliteStore({ file: join(folder, 'store.db') });
  const host: Pick<OrgCodehost, 'gitRemote' | 'issue' | 'repository' | 'branchHead'> = {
    gitRemote: async () => ({ url: bare, authorization: 'Basic c2VjcmV0OnNlY3JldA==' }),
    repository: async () => ({ defaultBranch: 'main', cloneUrl: bare, private: true }),
    branchHead: async (_, branch) => {
      const args = ['-C', bare, 'for-each-ref', '--format=%(objectname)', `refs/heads/${branch}`];
      return (await promisify(execFile)('git', args)).stdout.trim() || undefined;
    },
    issue: async (_, number) => ({
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
  const installation = {
    kind: 'openai-compatible' as const,
    baseUrl: modelUrl,
    model: 'rehearsal',
    apiKey: 'sk-test-key',
  };
  return {
    store,
    codehost: { forOrg: async () => host as OrgCodehost },
    sandbox: testSandbox(),
    checkoutsDir: join(folder, 'checkouts'),
    blobs: directoryBlobs(join(folder, 'blobs')),
    models: createModels({ providerOf: modelProviderOf(store), pricesOf: modelPricesOf(store), installation }),
  };
}
