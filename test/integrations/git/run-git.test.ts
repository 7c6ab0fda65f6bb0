import { expect, it } from 'vitest';
import { runGit } from '../../../src/integrations/git/run-git.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';

it('returns an allowed status, and throws any other with the error of git', async () => {
  const missing = ['config', '--file', '/dev/null', '--get', 'a.b'];
  expect(await runGit(missing, { allowedStatuses: [1] })).toEqual({
    status: 1,
    output: Buffer.alloc(0),
    messages: '',
  });
  await expect(runGit(missing)).rejects.toThrow('git config failed: status 1');
  await expect(runGit(missing, { allowedStatuses: [2] })).rejects.toThrow('git config failed: status 1');
  await expect(runGit(['none'], { allowedStatuses: [128] })).rejects.toThrow(
    "git none failed: git: 'none' is not a git command.",
  );
});

it('ends git after the timeout', async () => {
  const endless = ['-c', 'alias.wait=!sleep 900', 'wait'];
  await expect(runGit(endless, { timeoutMs: 50 })).rejects.toThrow(/^git -c failed: /);
});

it('reads no settings of the host or of the folder, and asks for no password', async () => {
  const folder = await createScratchFolder();
  const { output } = await runGit(['config', '--list', '--name-only'], { workTree: folder });
  expect(new Set(output.toString().trim().split('\n'))).toContain('core.hookspath');
  const prompt = await runGit(['-c', 'alias.show-environment=!env', 'show-environment']);
  expect(prompt.output.toString()).toContain('GIT_TERMINAL_PROMPT=0\n');
});

it('passes the authorization only for the URL of the repo, and shows it in no error', async () => {
  const remote = { url: 'https://codehost.test/acme/shop.git', authorization: 'Basic c2VjcmV0' };
  const read = async (url: string) =>
    (await runGit(['config', '--get-urlmatch', 'http.extraHeader', url], { remote, allowedStatuses: [1] })).output
      .toString()
      .trim();
  expect(await read(remote.url)).toBe('Authorization: Basic c2VjcmV0');
  expect(await read('https://other.test/acme/shop.git')).toBe('');
  const failing = runGit([`--${remote.authorization}`], { remote });
  await expect(failing).rejects.toThrow(/\[authorization\]/);
});

it('allows only the protocol of the repo', async () => {
  const read = async (url: string) => {
    const { output } = await runGit(['config', '--get-regexp', String.raw`^protocol\.`], { remote: { url } });
    return output.toString().trim().split('\n').sort();
  };
  expect(await read('http://codehost.test/a.git')).toEqual(['protocol.allow never', 'protocol.http.allow always']);
  expect(await read('ext::sh -c true')).toEqual(['protocol.allow never', 'protocol.file.allow always']);
});
