import { pullOperations } from '../../../src/integrations/codehost/octokit-pulls.ts';
import { startScriptedCodehost } from './scripted-codehost.ts';

export const repo = 'acme/shop';
export const [head, base, testMerge, squashed] = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(40)) as [
  string,
  string,
  string,
  string,
];
export const pullPath = '/repos/acme/shop/pulls/7';
export const readPull = `GET ${pullPath}`;

export const raw = {
  number: 7,
  node_id: 'PR_7',
  html_url: 'https://codehost.test/acme/shop/pull/7',
  title: 'Add it',
  state: 'open',
  draft: false,
  merged: false,
  merge_commit_sha: testMerge as string | null,
  mergeable: true as boolean | null,
  mergeable_state: 'clean',
  head: { ref: 'feature', sha: head, repo: { full_name: repo } as object | null },
  base: { ref: 'main', sha: base },
};
/** A response with this pull request. */
export const pull = (fields: Partial<typeof raw> = {}) => ({ body: { ...raw, ...fields } });
export const refused = (status: number, message: string) => ({ status, body: { message } });

/** Returns the operations on pull requests of a code host with these responses. */
export async function connectPulls(routes: Parameters<typeof startScriptedCodehost>[0]) {
  const { client, requests } = await startScriptedCodehost(routes);
  return { host: pullOperations(client), requests };
}
